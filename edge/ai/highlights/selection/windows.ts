import type { Sentence } from '../../chapters/segmentation/sentences.ts'
import { type Measures, measureSignals, type Signal, signals, sumSentences } from './signals.ts'

/** Consecutive sentences: `from` and `to` are their indexes, `to` excluded. */
export type Window = { from: number; to: number; startSec: number; endSec: number }
export type ScoredWindow = Window & { score: number; reasons: Signal[] }

const MIN_SEC = 15
const MAX_SEC = 60
/** More than anybody says in a minute. Sentences of a hostile transcript may have no duration. */
const MAX_WINDOW_SENTENCES = 60
/** For each first sentence, windows of about these lengths are compared. */
const LENGTHS_SEC = [MIN_SEC, 25, 40, MAX_SEC]

const weights: Measures = { emphasis: 0.35, topic: 0.25, pace: 0.15, pause: 0.25 }
/** The deviation from the mean that counts as a reason, in standard deviations. */
const REASON_DEVIATIONS = 1
/** The absolute minimum of a signal; otherwise the slightest deviation in a flat text would be a reason. */
const atLeast: Record<Signal, (value: number, mean: number) => boolean> = {
	emphasis: (value) => value >= 0.5,
	topic: (value, mean) => value >= mean * 1.25,
	pace: (value, mean) => value >= mean * 1.15,
	pause: (value) => value >= 0.8,
}

/** Scores up to four windows per first sentence against all windows of the video. */
export function scoreWindows(sentences: readonly Sentence[]): ScoredWindow[] {
	const sums = sumSentences(sentences)
	const windows = windowsOf(sentences).map((window) => ({
		...window,
		measures: measureSignals(sentences, sums, window.from, window.to),
	}))
	const usual = Object.fromEntries(
		signals.map((signal) => [signal, spreadOf(windows.map(({ measures }) => measures[signal]))]),
	) as Record<Signal, { mean: number; deviation: number }>
	return windows.map(({ measures, ...window }) => {
		const deviationsOf = (signal: Signal) => {
			const { mean, deviation } = usual[signal]
			return deviation === 0 ? 0 : Math.max(-3, Math.min(3, (measures[signal] - mean) / deviation))
		}
		return {
			...window,
			score: signals.reduce((sum, signal) => sum + weights[signal] * deviationsOf(signal), 0),
			reasons: signals.filter(
				(signal) =>
					deviationsOf(signal) >= REASON_DEVIATIONS && atLeast[signal](measures[signal], usual[signal].mean),
			),
		}
	})
}

function windowsOf(sentences: readonly Sentence[]): Window[] {
	return sentences.flatMap(({ start }, from) => {
		const windows: Window[] = []
		let to = from
		for (const length of LENGTHS_SEC) {
			const last = Math.min(sentences.length, from + MAX_WINDOW_SENTENCES)
			while (to < last && (sentences[to - 1]?.end ?? start) - start < length) to++
			const endSec = sentences[to - 1]?.end ?? start
			const isKnown = windows.some((window) => window.to === to)
			if (to > from && endSec - start >= MIN_SEC && endSec - start <= MAX_SEC && !isKnown)
				windows.push({ from, to, startSec: start, endSec })
		}
		return windows
	})
}

function spreadOf(values: readonly number[]): { mean: number; deviation: number } {
	const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
	const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length)
	// Rounding gives equal values a variance slightly above zero.
	return { mean, deviation: variance < 1e-9 ? 0 : Math.sqrt(variance) }
}
