import type { Transcript } from '#schema/contract/ai/transcripts.ts'
import { type Sentence, splitIntoSentences } from '../../chapters/segmentation/sentences.ts'
import { titleChapters } from '../../chapters/segmentation/titles.ts'
import { joinWords } from '../../transcripts/words.ts'
import type { Signal } from './signals.ts'
import { type ScoredWindow, scoreWindows, type Window } from './windows.ts'

export type ChosenHighlight = {
	title: string
	description: string
	startMs: number
	endMs: number
	/** From 0 to 1, relative to the rest of the video. */
	score: number
	reasons: Signal[]
}

export type HighlightInput = {
	transcript: Pick<Transcript, 'segments' | 'language'>
	/** Where chapters begin, in seconds. */
	chapterStarts: readonly number[]
	durationSec: number
}

/** A shorter video is a clip itself. */
const MIN_DURATION_SEC = 90
/** A day of speech. Each sentence starts up to four windows, all in memory. */
const MAX_VIDEO_SENTENCES = 20_000
/** How many windows are compared for each highlight, best first. */
const MAX_COMPARED = 500
/** With fewer sentences, the mean is meaningless. */
const MIN_SENTENCES = 8
const MIN_SCORE = 0.8
/** One signal alone may be chance. */
const MIN_REASONS = 2
const PER_HOUR = 5
const MAX_HIGHLIGHTS = 12
/** Closer highlights would repeat each other. */
const APART_SEC = 20
const SAME_CHAPTER_COST = 0.3
const SIMILARITY_COST = 0.6

/** Silence on both sides, if there is enough of it. */
const MIN_SILENCE_SEC = 0.15
const PAD_SEC = 0.2
const MAX_DESCRIPTION = 200
const MAX_TITLE = 80

/** Chooses the parts whose speech stands out, in video order. There may be none. */
export function chooseHighlights({
	transcript,
	chapterStarts,
	durationSec,
}: HighlightInput): ChosenHighlight[] {
	if (durationSec < MIN_DURATION_SEC) return []
	const sentences = splitIntoSentences(transcript).filter(
		({ start, end }) => start < end && end <= durationSec,
	)
	if (sentences.length < MIN_SENTENCES || sentences.length > MAX_VIDEO_SENTENCES) return []
	const limit = Math.min(MAX_HIGHLIGHTS, Math.max(1, Math.round((durationSec / 3_600) * PER_HOUR)))
	const chosen = pick(sentences, chapterStarts, limit).toSorted((a, b) => a.from - b.from)
	const titles = titleChapters(chosen.map(({ from, to }) => sentences.slice(from, to)))
	return chosen.map((window, at) => ({
		title: titleOf(titles[at] ?? '', sentences, window),
		description: shorten(textOf(sentences, window), MAX_DESCRIPTION),
		...placeInSilence(sentences, window, durationSec),
		score: Math.round(Math.min(1, window.score / 2) * 100) / 100,
		reasons: window.reasons,
	}))
}

/** Repeatedly picks the best window. One that resembles earlier picks, or shares their chapter, counts less. */
function pick(
	sentences: readonly Sentence[],
	chapterStarts: readonly number[],
	limit: number,
): ScoredWindow[] {
	let open = scoreWindows(sentences)
		.filter(({ score, reasons }) => score >= MIN_SCORE && reasons.length >= MIN_REASONS)
		.toSorted((a, b) => b.score - a.score)
	const chapterOf = ({ startSec }: Window) => chapterStarts.findLastIndex((start) => start <= startSec)
	const chosen: ScoredWindow[] = []
	const stems: Set<string>[] = []
	while (chosen.length < limit && open.length > 0) {
		const chapters = new Set(chosen.map(chapterOf))
		const worthOf = (window: ScoredWindow) =>
			window.score -
			(chapterStarts.length > 1 && chapters.has(chapterOf(window)) ? SAME_CHAPTER_COST : 0) -
			SIMILARITY_COST * Math.max(0, ...stems.map((own) => similarity(own, stemsOf(sentences, window))))
		let best: { window: ScoredWindow; value: number } | undefined
		for (const window of open.slice(0, MAX_COMPARED)) {
			// Later windows can't be better: the value is at most the score.
			if (best && window.score <= best.value) break
			const value = worthOf(window)
			if (!best || value > best.value) best = { window, value }
		}
		if (!best || (chosen.length > 0 && best.value < MIN_SCORE)) break
		const { window } = best
		chosen.push(window)
		stems.push(stemsOf(sentences, window))
		open = open.filter(
			({ startSec, endSec }) =>
				endSec + APART_SEC <= window.startSec || startSec >= window.endSec + APART_SEC,
		)
	}
	return chosen
}

const stemsOf = (sentences: readonly Sentence[], { from, to }: Window): Set<string> =>
	new Set(sentences.slice(from, to).flatMap(({ words }) => words.flatMap(({ stem }) => stem ?? [])))

/** Returns the share of common stems. */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
	let common = 0
	for (const stem of a) if (b.has(stem)) common++
	return common / Math.max(1, a.size + b.size - common)
}

/** Moves both ends into the silence beside them. */
function placeInSilence(
	sentences: readonly Sentence[],
	{ from, to, startSec, endSec }: Window,
	durationSec: number,
): { startMs: number; endMs: number } {
	const before = startSec - (sentences[from - 1]?.end ?? 0)
	const after = (sentences[to]?.start ?? durationSec) - endSec
	const pad = (silence: number) => (silence < MIN_SILENCE_SEC ? 0 : Math.min(PAD_SEC, silence / 2))
	return {
		startMs: Math.max(0, Math.round((startSec - pad(before)) * 1_000)),
		endMs: Math.min(Math.floor(durationSec * 1_000), Math.round((endSec + pad(after)) * 1_000)),
	}
}

const textOf = (sentences: readonly Sentence[], { from, to }: Window): string =>
	joinWords(sentences.slice(from, to).flatMap(({ words }) => words))

/** Takes the first sentence if no phrase is special to the clip. */
const titleOf = (phrase: string, sentences: readonly Sentence[], { from }: Window): string =>
	/^Part \d+$/.test(phrase) || phrase === ''
		? shorten(textOf(sentences, { from, to: from + 1, startSec: 0, endSec: 0 }), MAX_TITLE)
		: phrase

/** Truncates a text at a word boundary. */
function shorten(text: string, limit: number): string {
	if (text.length <= limit) return text
	const cut = text.slice(0, limit - 1)
	const atWord = cut.slice(0, Math.max(cut.lastIndexOf(' '), limit / 2)).trimEnd()
	return `${atWord.replace(/[\uD800-\uDBFF]$/, '')}…`
}
