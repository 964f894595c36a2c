import type { Transcript } from '#schema/contract/ai/transcripts.ts'
import { createStemmer } from '../../../edge/ai/chapters/segmentation/stems.ts'

/** As many boundaries as the truth has, at equal distances. */
export const placeEvenBoundaries = (count: number, durationSec: number): number[] =>
	Array.from({ length: count }, (_, at) => ((at + 1) * durationSec) / (count + 1))

/** As many boundaries as the truth has, anywhere. The same for the same seed. */
export function placeRandomBoundaries(count: number, durationSec: number, seed: number): number[] {
	let state = seed
	const next = () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
		return state / 2 ** 32
	}
	next()
	return Array.from({ length: count }, () => next() * durationSec).sort((a, b) => a - b)
}

const SEQUENCE_WORDS = 20
const BLOCK_SEQUENCES = 5

/** TextTiling (Hearst 1997): a boundary wherever the similarity of the words before and after has a deep valley. */
export function findTextTilingBoundaries({ segments, language }: Transcript): number[] {
	const stemOf = createStemmer(language)
	const words = segments.flatMap((segment) => segment.words)
	const sequences = Array.from({ length: Math.floor(words.length / SEQUENCE_WORDS) }, (_, at) =>
		words.slice(at * SEQUENCE_WORDS, (at + 1) * SEQUENCE_WORDS),
	)
	const count = (from: number, to: number) => {
		const counts = new Map<string, number>()
		for (const { word } of sequences.slice(Math.max(0, from), to).flat()) {
			const stem = stemOf(word)
			if (stem !== null) counts.set(stem, (counts.get(stem) ?? 0) + 1)
		}
		return counts
	}
	const scores = Array.from({ length: Math.max(0, sequences.length - 1) }, (_, at) =>
		cosine(count(at + 1 - BLOCK_SEQUENCES, at + 1), count(at + 1, at + 1 + BLOCK_SEQUENCES)),
	)
	const smooth = scores.map((score, at) => mean([scores[at - 1] ?? score, score, scores[at + 1] ?? score]))
	const depths = smooth.map((score, at) => climb(smooth, at, -1) + climb(smooth, at, 1) - 2 * score)
	const limit = mean(depths) + deviation(depths) / 2
	const isPeak = (at: number) =>
		(depths[at] ?? 0) > limit && (depths[at] ?? 0) >= Math.max(depths[at - 1] ?? 0, depths[at + 1] ?? 0)
	return depths.flatMap((_, at) => {
		if (!isPeak(at)) return []
		const near = sequences[at + 1]?.[0]?.start ?? 0
		const starts = segments.map(({ start }) => start)
		return [starts.reduce((best, start) => (Math.abs(start - near) < Math.abs(best - near) ? start : best))]
	})
}

function climb(scores: readonly number[], from: number, step: 1 | -1): number {
	let at = from
	while ((scores[at + step] ?? Number.NEGATIVE_INFINITY) >= (scores[at] ?? 0)) at += step
	return scores[at] ?? 0
}

function cosine(a: Map<string, number>, b: Map<string, number>): number {
	let product = 0
	for (const [stem, count] of a) product += count * (b.get(stem) ?? 0)
	const norm = (counts: Map<string, number>) => Math.hypot(...counts.values())
	return product === 0 ? 0 : product / (norm(a) * norm(b))
}

const mean = (values: readonly number[]) =>
	values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
const deviation = (values: readonly number[]) => {
	const center = mean(values)
	return Math.sqrt(mean(values.map((value) => (value - center) ** 2)))
}
