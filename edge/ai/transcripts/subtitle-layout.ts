import type { Transcript } from '#schema/contract/ai/transcripts.ts'
import { endsSentence, joinWords, measureTextWidth, splitWords, type Word } from './words.ts'

/** A subtitle: one or two lines for a time range, in whole milliseconds. */
export type Subtitle = { fromMs: number; toMs: number; lines: string[] }

type TimedWord = Word & { fromMs: number; toMs: number; endsSegment: boolean }

/** Broadcasting standards, in units of a Latin letter. An East Asian character counts as two. */
const MAX_LINE_WIDTH = 42
const MAX_MS = 7_000
const MIN_MS = 833
/** Shorter subtitles should be joined with others. */
const SHORT_WIDTH = 12
/** Faster subtitles can't be read. */
const MAX_WIDTH_PER_SECOND = 17
/** Subtitles are at least two frames apart; gaps below half a second are closed. */
const MAX_STAY_MS = 1_000
/** Two subtitles never follow each other more closely than two frames; shorter gaps than half a second are closed. */
const GAP_MS = 80
const CLOSED_GAP_MS = 500
/** A pause ends a subtitle. */
const PAUSE_MS = 1_000
/** A subtitle that starts or ends this close to a shot boundary does not visibly cross it. */
const NEAR_CUT_MS = 250

const ENDS_CLAUSE = /[,;:、，；：–—]["'”’»)\]]{0,3}$/u

/** Lays out the segments as subtitles, without probable hallucinations. Subtitles avoid crossing a shot boundary. */
export function layOutSubtitles(
	{ segments, duration }: Pick<Transcript, 'segments' | 'duration'>,
	shots: readonly number[] = [],
): Subtitle[] {
	const words = segments.filter(({ suspect }) => !suspect).flatMap(timedWords)
	const runs = splitAt(words, ({ toMs }, next) => next.fromMs - toMs >= PAUSE_MS)
	const cutsMs = shots.map((sec) => Math.round(sec * 1_000))
	return setTimes(
		runs.flatMap((run) => splitRun(run, cutsMs)),
		Math.round(duration * 1_000),
		cutsMs,
	)
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

/** Splits the words between two pauses into subtitles of lowest total cost, in linear time. */
function splitRun(words: readonly TimedWord[], cutsMs: readonly number[]): Subtitle[] {
	const measures = measureRun(words, cutsMs)
	/** The lowest cost of the words before each index, and the start of their last subtitle. */
	const costs = [0]
	const froms = [0]
	for (let to = 1; to <= words.length; to++) {
		let [cost, best] = [Number.POSITIVE_INFINITY, to - 1]
		// A single long word must be shown regardless.
		for (let from = to - 1; from >= 0 && (from === to - 1 || measures.fits(from, to)); from--) {
			const total = (costs[from] ?? 0) + measures.cost(from, to)
			if (total < cost) [cost, best] = [total, from]
		}
		costs.push(cost)
		froms.push(best)
	}
	const subtitles: Subtitle[] = []
	for (let to = words.length; to > 0; to = froms[to] ?? 0)
		subtitles.push(subtitleOf(words.slice(froms[to] ?? 0, to)))
	return subtitles.reverse()
}

/** Measures any words of a run in constant time from prefix sums. */
function measureRun(words: readonly TimedWord[], cutsMs: readonly number[]) {
	/** Prefix sums of widths with separators, and of sentence ends. */
	const widths = new Float64Array(words.length + 1)
	const sentences = new Uint32Array(words.length + 1)
	for (const [at, { word, separator }] of words.entries()) {
		widths[at + 1] = (widths[at] ?? 0) + measureTextWidth(word) + separator.length
		sentences[at + 1] = (sentences[at] ?? 0) + (endsSentence(word) ? 1 : 0)
	}
	const width = (from: number, to: number) =>
		(widths[to] ?? 0) - (widths[from] ?? 0) - (words[to - 1]?.separator.length ?? 0)
	/** For each index, the end of the longest line that starts there. */
	const lineEnds = new Uint32Array(words.length + 1).fill(words.length)
	for (let from = 0, to = 0; from < words.length; from++) {
		to = Math.max(to, from + 1)
		while (to < words.length && width(from, to + 1) <= MAX_LINE_WIDTH) to++
		lineEnds[from] = to
	}
	const spokenMs = (from: number, to: number) => (words[to - 1]?.toMs ?? 0) - (words[from]?.fromMs ?? 0)
	return {
		fits(from: number, to: number): boolean {
			const firstEnd = lineEnds[from] ?? 0
			const isOneLine = to <= firstEnd && width(from, to) <= MAX_LINE_WIDTH
			const isTwoLines =
				to <= (lineEnds[firstEnd] ?? 0) &&
				width(from, firstEnd) <= MAX_LINE_WIDTH &&
				width(firstEnd, to) <= MAX_LINE_WIDTH
			return spokenMs(from, to) <= MAX_MS && (isOneLine || isTwoLines)
		},
		/**
		 * Returns the cost of a subtitle: its end, joined sentences, reading speed, shortness and crossed shot
		 * boundaries.
		 */
		cost(from: number, to: number): number {
			const seconds = Math.max(spokenMs(from, to), MIN_MS) / 1_000
			const hurry = Math.max(0, width(from, to) / seconds / MAX_WIDTH_PER_SECOND - 1)
			const sentencesInside = (sentences[to - 1] ?? 0) - (sentences[from] ?? 0)
			const end = to === words.length ? 0 : endCost(words[to - 1])
			const crossed = cutsBetween(cutsMs, words[from]?.fromMs ?? 0, words[to - 1]?.toMs ?? 0)
			return 1 + end + 2 * sentencesInside + 2 * hurry + (width(from, to) < SHORT_WIDTH ? 2 : 0) + 3 * crossed
		},
	}
}

/** Counts the shot boundaries in a time range, in logarithmic time. */
const cutsBetween = (cutsMs: readonly number[], fromMs: number, toMs: number): number =>
	Math.max(0, firstNotBefore(cutsMs, toMs - NEAR_CUT_MS) - firstNotBefore(cutsMs, fromMs + NEAR_CUT_MS))

/** Returns the index of the first time that is not before `ms`. */
function firstNotBefore(times: readonly number[], ms: number): number {
	let [low, high] = [0, times.length]
	while (low < high) {
		const middle = (low + high) >> 1
		if ((times[middle] ?? 0) < ms) low = middle + 1
		else high = middle
	}
	return low
}

function endCost(last: TimedWord | undefined): number {
	if (!last || endsSentence(last.word)) return 0
	if (last.endsSegment) return 0.5
	return ENDS_CLAUSE.test(last.word) ? 1 : 3
}

const subtitleOf = (words: readonly TimedWord[]): Subtitle => ({
	fromMs: words[0]?.fromMs ?? 0,
	toMs: words.at(-1)?.toMs ?? 0,
	lines: breakLines(words),
})

/** Breaks a long text into two lines of similar width, after punctuation if possible. */
function breakLines(words: readonly Word[]): string[] {
	const widths = words.map(({ word, separator }) => measureTextWidth(word) + separator.length)
	const total = widths.reduce((sum, width) => sum + width, 0)
	if (total - 1 <= MAX_LINE_WIDTH || words.length < 2) return [joinWords(words)]
	let first = 0
	const costs = words.slice(1).map((_, at) => {
		first += widths[at] ?? 0
		const second = total - first
		const excess = Math.max(0, first - 1 - MAX_LINE_WIDTH) + Math.max(0, second - 1 - MAX_LINE_WIDTH)
		const last = words[at]?.word ?? ''
		const bonus = endsSentence(last) || ENDS_CLAUSE.test(last) ? 14 : 0
		// A longer second line hides less of the video.
		return 100 * excess + Math.abs(first - second) + (first > second ? 1 : 0) - bonus
	})
	const best = costs.indexOf(Math.min(...costs)) + 1
	return [joinWords(words.slice(0, best)), joinWords(words.slice(best))]
}

/** Lays out a text on one line, or on two if it is too wide. */
export const layOutText = (text: string): string[] =>
	breakLines(splitWords(text)).filter((line) => line !== '')

/** Extends subtitles for reading, closes short gaps, and prevents overlaps. */
function setTimes(subtitles: readonly Subtitle[], durationMs: number, cutsMs: readonly number[]): Subtitle[] {
	let earliest = 0
	return subtitles.map(({ fromMs, toMs, lines }, at) => {
		const next = subtitles[at + 1]?.fromMs ?? durationMs + GAP_MS
		const readingMs = (measureTextWidth(lines.join('')) / MAX_WIDTH_PER_SECOND) * 1_000
		const wanted = Math.max(toMs, fromMs + MIN_MS, Math.min(fromMs + readingMs, toMs + MAX_STAY_MS))
		const closed = next - wanted < CLOSED_GAP_MS ? next - GAP_MS : wanted
		const from = Math.max(fromMs, earliest)
		// After its last word, a subtitle ends with its shot.
		const cut = cutsMs[firstNotBefore(cutsMs, Math.max(toMs, fromMs + MIN_MS))] ?? Number.POSITIVE_INFINITY
		const to = Math.round(Math.min(closed, cut, fromMs + MAX_MS + MAX_STAY_MS, durationMs))
		earliest = Math.max(to, from + 1)
		return { fromMs: from, toMs: earliest, lines }
	})
}
