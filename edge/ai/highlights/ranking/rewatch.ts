import type { Viewing } from './viewing.ts'

type Part = { startMs: number; endMs: number }

/** With fewer sessions, a few viewers would dominate. */
const MIN_STARTS = 100
/** Minimum viewers of a part: few reach the end of a long video. */
const MIN_PART_VIEWERS = 20
/** One viewer in a loop has unlimited counts, so the rate is capped at one repetition per viewer. */
const MAX_RATE = 1
const MAX_DEVIATIONS = 3

/**
 * Returns how much more each part is rewatched than other parts of the same length, in standard deviations; null
 * without enough data. The rate counts only viewers who saw the part, so that the end of a video is not at a
 * disadvantage.
 */
export function computeRewatchDeviations(viewing: Viewing, parts: readonly Part[]): (number | null)[] {
	if (viewing.starts < MIN_STARTS) return parts.map(() => null)
	const sums = sumBuckets(viewing)
	return parts.map(({ startMs, endMs }) => {
		const from = Math.floor(startMs / viewing.bucketMs)
		const length = Math.max(1, Math.ceil(endMs / viewing.bucketMs) - from)
		const own = rateAt(viewing, sums, from, length)
		if (own === null) return null
		const last = viewing.heat.length - length
		const rates = Array.from({ length: last + 1 }, (_, at) => rateAt(viewing, sums, at, length))
		return deviationsOf(
			own,
			rates.filter((rate) => rate !== null),
		)
	})
}

type Sums = { cover: number[]; repeated: number[] }

/** Prefix sums of the buckets, which measure any part in constant time. */
function sumBuckets({ heat, cover }: Viewing): Sums {
	const sums: Sums = { cover: [0], repeated: [0] }
	for (const [at, played] of heat.entries()) {
		const once = cover[at] ?? 0
		sums.cover.push((sums.cover[at] ?? 0) + once)
		sums.repeated.push((sums.repeated[at] ?? 0) + Math.max(0, played - once))
	}
	return sums
}

/** Returns how often viewers of these buckets rewatched them; null for too few viewers. */
function rateAt(
	{ bucketMs }: Viewing,
	{ cover, repeated }: Sums,
	from: number,
	length: number,
): number | null {
	const within = (list: readonly number[]) => (list[from + length] ?? 0) - (list[from] ?? 0)
	const seenMs = within(cover)
	if (seenMs < MIN_PART_VIEWERS * length * bucketMs) return null
	return Math.min(MAX_RATE, within(repeated) / seenMs)
}

function deviationsOf(own: number, rates: readonly number[]): number {
	const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length
	const variance = rates.reduce((sum, rate) => sum + (rate - mean) ** 2, 0) / rates.length
	// Rounding gives equal rates a variance slightly above zero.
	if (variance < 1e-9) return 0
	const deviations = (own - mean) / Math.sqrt(variance)
	return Math.round(Math.max(-MAX_DEVIATIONS, Math.min(MAX_DEVIATIONS, deviations)) * 100) / 100
}
