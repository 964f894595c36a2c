import { formatWebVttTime } from '../../platform/web-vtt.ts'
import type { Subtitle } from './subtitle-layout.ts'

/** Writes a WebVTT file. */
export const writeWebVtt = (subtitles: readonly Subtitle[]): string =>
	`WEBVTT\n\n${subtitles
		.map(
			({ fromMs, toMs, lines }) =>
				`${formatWebVttTime(fromMs)} --> ${formatWebVttTime(toMs)}\n${lines.map(escapeVtt).join('\n')}\n`,
		)
		.join('\n')}`

/** Writes an SRT file. Its markup can't be escaped, so `<` and `{` become characters that look like them. */
export const writeSubRip = (subtitles: readonly Subtitle[]): string =>
	subtitles
		.map(
			({ fromMs, toMs, lines }, at) =>
				`${at + 1}\r\n${subRipTime(fromMs)} --> ${subRipTime(toMs)}\r\n${lines.map(withoutMarkup).join('\r\n')}\r\n`,
		)
		.join('\r\n')

const escapeVtt = (line: string): string =>
	line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const withoutMarkup = (line: string): string =>
	line.replaceAll('<', '‹').replaceAll('>', '›').replaceAll('{', '❴').replaceAll('}', '❵')

const subRipTime = (ms: number): string => formatWebVttTime(ms).replace('.', ',')
