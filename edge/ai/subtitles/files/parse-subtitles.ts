import type { Subtitle } from '../../transcripts/subtitle-layout.ts'
import { parseSubRipText, parseWebVttText } from './cue-text.ts'
import { parseCueTimes } from './cue-times.ts'

const MAX_CUES = 20_000
const MAX_CHARACTERS = 1_000
/** Every segment of the presentation has all subtitles that are shown during it. */
const MAX_AT_ONCE = 20
const SIGNATURE = /^WEBVTT(?:[ \t]|$)/
/** Blocks of WebVTT that are no cues. */
const OTHER_BLOCK = /^(?:NOTE|STYLE|REGION)(?:[ \t]|$)/

/** What is wrong with a file, and in which line. */
export class SubtitleFileError extends Error {
	override name = 'SubtitleFileError'
}

const fail = (line: number, problem: string): never => {
	throw new SubtitleFileError(`line ${line}: ${problem}`)
}

type Line = { number: number; text: string }

/**
 * Reads WebVTT and SRT: subtitles in the order of their times, with lines of plain text. Accepts what editors write
 * although no specification allows it, but guesses no times.
 */
export function parseSubtitles(bytes: Uint8Array, isWebVtt: boolean): Subtitle[] {
	const blocks = blocksOf(decode(bytes))
	const first = blocks[0]?.[0] ?? { number: 1, text: '' }
	const hasSignature = first.number === 1 && SIGNATURE.test(first.text)
	if (isWebVtt && !hasSignature)
		fail(1, 'a WebVTT file begins with WEBVTT; send an SRT file as application/x-subrip')
	const textOf = hasSignature ? parseWebVttText : parseSubRipText
	const cues = (hasSignature ? withoutHeader(blocks) : blocks).flatMap((block) =>
		hasSignature && OTHER_BLOCK.test(block[0]?.text ?? '') ? [] : cuesOf(block, hasSignature),
	)
	if (cues.length > MAX_CUES)
		fail(cues[MAX_CUES]?.line ?? 1, `a file has at most ${MAX_CUES} subtitles; divide it or join some`)
	const subtitles = cues
		.flatMap(({ line, fromMs, toMs, texts }) => {
			const lines = textOf(texts)
			if (lines.join('\n').length > MAX_CHARACTERS)
				fail(line, `a subtitle has at most ${MAX_CHARACTERS} characters; shorten it or divide it`)
			return lines.length > 0 ? [{ line, fromMs, toMs, lines }] : []
		})
		.toSorted((a, b) => a.fromMs - b.fromMs)
	if (subtitles.length === 0) fail(1, 'the file has no subtitles; send WebVTT or SRT')
	let shown: typeof subtitles = []
	for (const subtitle of subtitles) {
		shown = [...shown.filter(({ toMs }) => toMs > subtitle.fromMs), subtitle]
		if (shown.length > MAX_AT_ONCE)
			fail(subtitle.line, `more than ${MAX_AT_ONCE} subtitles are shown at this time; correct their times`)
	}
	return subtitles.map(({ line: _, ...subtitle }) => subtitle)
}

function decode(bytes: Uint8Array): string {
	try {
		// Drops the byte order mark.
		return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
	} catch {
		throw new SubtitleFileError('the file is not UTF-8; save it as UTF-8 and send it again')
	}
}

/** Divides a file at its empty lines. Characters that would end a line or a file elsewhere become harmless. */
function blocksOf(file: string): Line[][] {
	const blocks: Line[][] = [[]]
	for (const [at, raw] of file.split(/\r\n|\r|\n/).entries()) {
		const text = raw
			.replaceAll('\0', '\ufffd')
			.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
			.trim()
		if (text === '') blocks.push([])
		else blocks.at(-1)?.push({ number: at + 1, text })
	}
	return blocks.filter((block) => block.length > 0)
}

/** The header ends with an empty line, or, if that is missing, where the first cue begins. */
function withoutHeader([header = [], ...blocks]: Line[][]): Line[][] {
	const times = header.findIndex(({ text }) => parseCueTimes(text) !== null)
	return times < 0 ? blocks : [header.slice(times), ...blocks]
}

type Cue = { line: number; fromMs: number; toMs: number; texts: string[] }

/** Reads the cues of a block. Some editors leave out the empty line between two. */
function cuesOf(block: readonly Line[], isWebVtt: boolean): Cue[] {
	const starts = block.flatMap((line, at) => (parseCueTimes(line.text) ? [at] : []))
	const [first] = starts
	// One line before the first times is the number of the cue, or, in WebVTT, its name.
	const hasName = first === 1 && (isWebVtt || /^\d+$/.test(block[0]?.text ?? ''))
	if (first === undefined || (first > 0 && !hasName)) {
		const wrong =
			first === 1
				? block[0]
				: (block.find(({ text }) => text.includes('->')) ?? block[Math.min(1, block.length - 1)])
		return fail(
			wrong?.number ?? 1,
			'expected times such as 00:00:01.000 --> 00:00:02.500 before the text of a subtitle, and no empty line within the text',
		)
	}
	return starts.map((start, k) => {
		const { number, text } = block[start] as Line
		const times = parseCueTimes(text)
		if (!times || times.problem) return fail(number, times?.problem ?? 'expected times')
		const next = starts[k + 1] ?? block.length
		const hasNumber = next < block.length && next - start > 1 && /^\d+$/.test(block[next - 1]?.text ?? '')
		const texts = block.slice(start + 1, hasNumber ? next - 1 : next).map((line) => line.text)
		return { line: number, fromMs: times.fromMs, toMs: times.toMs, texts }
	})
}
