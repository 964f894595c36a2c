import type { Transcript } from '#schema/contract/video/transcripts.ts'
import { joinWords, splitWords, type Word, widthOf } from './words.ts'

/** A subtitle: one or two lines for a part of the video. Times are whole milliseconds. */
export type Subtitle = { fromMs: number; toMs: number; lines: string[] }

type TimedWord = Word & { fromMs: number; toMs: number; endsSegment: boolean }

/** The measures that broadcasters agree on, in units of a Latin letter. An East Asian character counts as two. */
const MAX_LINE_WIDTH = 42
const MAX_WIDTH = 2 * MAX_LINE_WIDTH
const MAX_MS = 7_000
const MIN_MS = 833
/** Shorter subtitles are better joined with others. */
const SHORT_WIDTH = 12
/** Faster subtitles can't be read. */
const MAX_WIDTH_PER_SECOND = 17
/** How long a subtitle may stay after its last word, to be read. */
const MAX_STAY_MS = 1_000
/** Two subtitles never follow each other more closely than two frames; shorter gaps than half a second are closed. */
const GAP_MS = 80
const CLOSED_GAP_MS = 500
/** A pause ends a subtitle. */
const PAUSE_MS = 1_000

const ENDS_SENTENCE = /[.!?…。！？]["'”’»)\]]*$/u
const ENDS_CLAUSE = /[,;:、，；：–—]["'”’»)\]]*$/u

/** Makes subtitles of the segments, except of those that are probably not what was said. */
export function layOutSubtitles({
	segments,
	duration,
}: Pick<Transcript, 'segments' | 'duration'>): Subtitle[] {
	const words = segments.filter(({ suspect }) => !suspect).flatMap(timedWords)
	const runs = splitAt(words, ({ toMs }, next) => next.fromMs - toMs >= PAUSE_MS)
	return setTimes(runs.flatMap(splitRun), Math.round(duration * 1_000))
}

const timedWords = ({ text, words }: Transcript['segments'][number]): TimedWord[] =>
	splitWords(text).map((word, at, all) => ({
		...word,
		fromMs: Math.round((words[at]?.start ?? 0) * 1_000),
		toMs: Math.round((words[at]?.end ?? 0) * 1_000),
		endsSegment: at === all.length - 1,
	}))

function splitAt(
	words: readonly TimedWord[],
	isEnd: (word: TimedWord, next: TimedWord) => boolean,
): TimedWord[][] {
	const runs: TimedWord[][] = []
	for (const [at, word] of words.entries()) {
		const previous = words[at - 1]
		if (!previous || isEnd(previous, word)) runs.push([])
		runs.at(-1)?.push(word)
	}
	return runs
}

/** Splits the words between two pauses into subtitles at the lowest total cost. */
function splitRun(words: readonly TimedWord[]): Subtitle[] {
	/** The lowest cost of the words before an index, and where their last subtitle begins. */
	const best: { cost: number; from: number }[] = [{ cost: 0, from: 0 }]
	for (let to = 1; to <= words.length; to++) {
		let found = { cost: Number.POSITIVE_INFINITY, from: to - 1 }
		for (let from = to - 1; from >= 0; from--) {
			const part = words.slice(from, to)
			// A single word that is too long has to be shown anyway.
			if (part.length > 1 && !fits(part)) break
			const cost = (best[from]?.cost ?? 0) + costOf(part, to === words.length)
			if (cost < found.cost) found = { cost, from }
		}
		best.push(found)
	}
	const subtitles: Subtitle[] = []
	for (let to = words.length; to > 0; to = best[to]?.from ?? 0)
		subtitles.unshift(subtitleOf(words.slice(best[to]?.from ?? 0, to)))
	return subtitles
}

const fits = (words: readonly TimedWord[]): boolean =>
	spokenMs(words) <= MAX_MS &&
	widthOf(joinWords(words)) <= MAX_WIDTH &&
	breakLines(words).every((line) => widthOf(line) <= MAX_LINE_WIDTH)

const spokenMs = (words: readonly TimedWord[]) => (words.at(-1)?.toMs ?? 0) - (words[0]?.fromMs ?? 0)

/** Returns how bad a subtitle is: where it ends, what it joins, how fast it must be read, and how short it is. */
function costOf(words: readonly TimedWord[], isLast: boolean): number {
	const width = widthOf(joinWords(words))
	const seconds = Math.max(spokenMs(words), MIN_MS) / 1_000
	const hurry = Math.max(0, width / seconds / MAX_WIDTH_PER_SECOND - 1)
	const sentencesInside = words.slice(0, -1).filter(({ word }) => ENDS_SENTENCE.test(word)).length
	const end = isLast ? 0 : endCost(words.at(-1))
	return 1 + end + 2 * sentencesInside + 2 * hurry + (width < SHORT_WIDTH ? 2 : 0)
}

function endCost(last: TimedWord | undefined): number {
	if (!last || ENDS_SENTENCE.test(last.word)) return 0
	if (last.endsSegment) return 0.5
	return ENDS_CLAUSE.test(last.word) ? 1 : 3
}

const subtitleOf = (words: readonly TimedWord[]): Subtitle => ({
	fromMs: words[0]?.fromMs ?? 0,
	toMs: words.at(-1)?.toMs ?? 0,
	lines: breakLines(words),
})

/** Breaks a text that is too wide for one line into two of similar width, after punctuation if possible. */
export function breakLines(words: readonly Word[]): string[] {
	const text = joinWords(words)
	if (widthOf(text) <= MAX_LINE_WIDTH || words.length < 2) return [text]
	const choices = words.slice(1).map((_, at) => {
		const lines = [joinWords(words.slice(0, at + 1)), joinWords(words.slice(at + 1))]
		const [first = 0, second = 0] = lines.map(widthOf)
		const excess = Math.max(0, first - MAX_LINE_WIDTH) + Math.max(0, second - MAX_LINE_WIDTH)
		const last = words[at]?.word ?? ''
		const bonus = ENDS_SENTENCE.test(last) || ENDS_CLAUSE.test(last) ? 14 : 0
		// A longer second line hides less of the picture.
		return { lines, cost: 100 * excess + Math.abs(first - second) + (first > second ? 1 : 0) - bonus }
	})
	return choices.reduce((best, choice) => (choice.cost < best.cost ? choice : best)).lines
}

/** Lets subtitles stay as long as reading takes, closes short gaps, and never lets two overlap. */
function setTimes(subtitles: readonly Subtitle[], durationMs: number): Subtitle[] {
	let earliest = 0
	return subtitles.map(({ fromMs, toMs, lines }, at) => {
		const next = subtitles[at + 1]?.fromMs ?? durationMs + GAP_MS
		const readingMs = (widthOf(lines.join('')) / MAX_WIDTH_PER_SECOND) * 1_000
		const wanted = Math.max(toMs, fromMs + MIN_MS, Math.min(fromMs + readingMs, toMs + MAX_STAY_MS))
		const closed = next - wanted < CLOSED_GAP_MS ? next - GAP_MS : wanted
		const from = Math.max(fromMs, earliest)
		const to = Math.round(Math.min(closed, fromMs + MAX_MS + MAX_STAY_MS, durationMs))
		earliest = Math.max(to, from + 1)
		return { fromMs: from, toMs: earliest, lines }
	})
}
