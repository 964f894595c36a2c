import type { Subtitle } from './subtitle-layout.ts'

/** Writes a WebVTT file. */
export const webVtt = (subtitles: readonly Subtitle[]): string =>
	`WEBVTT\n\n${subtitles
		.map(
			({ fromMs, toMs, lines }) =>
				`${clockOf(fromMs, '.')} --> ${clockOf(toMs, '.')}\n${lines.map(escapeVtt).join('\n')}\n`,
		)
		.join('\n')}`

/** Writes an SRT file. Its markup can't be escaped, so `<` and `{` become characters that look like them. */
export const subRip = (subtitles: readonly Subtitle[]): string =>
	subtitles
		.map(
			({ fromMs, toMs, lines }, at) =>
				`${at + 1}\r\n${clockOf(fromMs, ',')} --> ${clockOf(toMs, ',')}\r\n${lines.map(withoutMarkup).join('\r\n')}\r\n`,
		)
		.join('\r\n')

const escapeVtt = (line: string): string =>
	line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const withoutMarkup = (line: string): string =>
	line.replaceAll('<', '‹').replaceAll('>', '›').replaceAll('{', '❴').replaceAll('}', '❵')

function clockOf(ms: number, separator: '.' | ','): string {
	const parts = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1_000) % 60]
	return `${parts.map((part) => String(part).padStart(2, '0')).join(':')}${separator}${String(ms % 1_000).padStart(3, '0')}`
}
