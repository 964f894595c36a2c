import { addExactly } from './exact.ts'
import { mergeRecords } from './records.ts'

/**
 * Counts of durations by the index of their bucket. Buckets grow by a constant factor, so every quantile has the same
 * relative error, and histograms of the same sessions are equal however they were merged.
 */
export type Histogram = Record<string, number>

const RELATIVE_ERROR = 0.02
const GROWTH = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR)
/** Longer durations are counted as this one. */
const MAX_MS = 600_000

/** Bucket 0 is for 0 ms, and bucket n > 0 for more than GROWTH^(n - 2) and at most GROWTH^(n - 1) ms. */
function bucketOf(ms: number): number {
	const bounded = Math.min(Math.round(ms), MAX_MS)
	return bounded < 1 ? 0 : 1 + Math.ceil(Math.log(bounded) / Math.log(GROWTH))
}

/** Returns the value with the same relative distance from both bounds of a bucket. */
const msOf = (bucket: number): number =>
	bucket === 0 ? 0 : Math.round((2 * GROWTH ** (bucket - 1)) / (GROWTH + 1))

export const addToHistogram = (histogram: Histogram, ms: number): Histogram =>
	mergeHistograms(histogram, { [bucketOf(ms)]: 1 })

export const mergeHistograms = (a: Histogram, b: Histogram): Histogram => mergeRecords(a, b, addExactly)

/**
 * Returns the smallest duration that at least the share `q` of all durations does not exceed, within 2 % and rounded to
 * milliseconds; null if there are none. The median has `q` 0.5.
 */
export function computeQuantile(histogram: Histogram, q: number): number | null {
	const buckets = Object.entries(histogram)
		.map(([bucket, count]) => ({ bucket: Number(bucket), count }))
		.toSorted((a, b) => a.bucket - b.bucket)
	const total = buckets.reduce((sum, { count }) => sum + count, 0)
	let atMost = 0
	for (const { bucket, count } of buckets) {
		atMost += count
		if (atMost / total >= q) return msOf(bucket)
	}
	return null
}
