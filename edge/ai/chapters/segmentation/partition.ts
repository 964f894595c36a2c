import type { Matrix } from './cohesion.ts'

export type PartitionOptions = {
	/** The start of each block, and the end of the last one. */
	times: readonly number[]
	minSec: number
	/** The minimum and maximum number of parts, if the shortest duration leaves a choice. */
	limits: { least: number; most: number }
	/** Evidence for a boundary before each block besides its words. */
	priors: readonly number[]
	/** The gain that a boundary must bring, in standard deviations of the similarity. */
	costOfBoundary: number
}

export type Partition = {
	/** The first block of each part. */
	starts: number[]
	/** The cohesion gained by each boundary after the first part. */
	gains: number[]
}

/**
 * Divides blocks into maximally cohesive parts by dynamic programming, because the best boundary is often not the
 * locally sharpest one. Cohesion is the sum of similarities above the mean, divided by the part's length, so that
 * neither long nor short parts are favored.
 */
export function partitionBlocks(matrix: Matrix, options: PartitionOptions): Partition {
	const { size } = matrix
	const { times, minSec, priors, costOfBoundary, limits } = options
	const maxParts = Math.max(1, Math.min(limits.most, size))
	const cohesion = cohesionOf(matrix)
	const lasts = (from: number, to: number) => (times[to] ?? 0) - (times[from] ?? 0)
	const width = size + 1
	const best = new Float64Array((maxParts + 1) * width).fill(Number.NEGATIVE_INFINITY)
	const cut = new Int32Array((maxParts + 1) * width)
	best[0] = 0
	for (let parts = 1; parts <= maxParts; parts++)
		for (let to = 1; to <= size; to++)
			for (let from = to - 1; from >= 0; from--) {
				const before = best[(parts - 1) * width + from] ?? 0
				const isWhole = from === 0 && to === size
				if (before === Number.NEGATIVE_INFINITY || (lasts(from, to) < minSec && !isWhole)) continue
				const bonus = from === 0 ? 0 : (priors[from] ?? 0) - costOfBoundary
				const score = before + cohesion.of(from, to) + bonus * cohesion.deviation
				if (score <= (best[parts * width + to] ?? 0)) continue
				best[parts * width + to] = score
				cut[parts * width + to] = from
			}
	const scoreOf = (parts: number) => best[parts * width + size] ?? Number.NEGATIVE_INFINITY
	let count = 1
	for (let parts = 2; parts <= maxParts; parts++)
		if (scoreOf(parts) > scoreOf(count) || (parts <= limits.least && Number.isFinite(scoreOf(parts))))
			count = parts
	const starts: number[] = []
	for (let parts = count, to = size; parts > 0; parts--) {
		to = cut[parts * width + to] ?? 0
		starts.unshift(to)
	}
	const gains = starts.slice(1).map((start, at) => {
		const [from, to] = [starts[at] ?? 0, starts[at + 2] ?? size]
		const gain = cohesion.of(from, start) + cohesion.of(start, to) - cohesion.of(from, to)
		return gain / cohesion.deviation
	})
	return { starts, gains }
}

/** Computes the cohesion of any part in constant time from a summed-area table. */
function cohesionOf({ size, values }: Matrix) {
	let [count, sum, squares] = [0, 0, 0]
	for (let i = 0; i < size; i++)
		for (let j = 0; j < i; j++) {
			const value = values[i * size + j] ?? 0
			count++
			sum += value
			squares += value * value
		}
	const mean = count === 0 ? 0 : sum / count
	const deviation = Math.sqrt(Math.max(1e-9, count === 0 ? 0 : squares / count - mean * mean))
	const width = size + 1
	const sums = new Float64Array(width * width)
	for (let i = 0; i < size; i++)
		for (let j = 0; j < size; j++)
			sums[(i + 1) * width + j + 1] =
				(i === j ? 0 : (values[i * size + j] ?? 0) - mean) +
				(sums[i * width + j + 1] ?? 0) +
				(sums[(i + 1) * width + j] ?? 0) -
				(sums[i * width + j] ?? 0)
	const of = (from: number, to: number): number => {
		const square =
			(sums[to * width + to] ?? 0) - 2 * (sums[from * width + to] ?? 0) + (sums[from * width + from] ?? 0)
		return square / 2 / (to - from)
	}
	return { of, deviation }
}
