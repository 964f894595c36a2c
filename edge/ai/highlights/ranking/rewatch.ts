import type { Viewing } from './viewing.ts'

type Part = { startMs: number; endMs: number }

/** With fewer sessions, a few viewers would decide. */
const MIN_STARTS = 100
/** So many of them must have seen a part to compare it: few reach the end of a long video. */
const MIN_PART_VIEWERS = 20
/** Counts of one viewer in a loop are not limited, so a part counts as watched again by at most everybody. */
const MAX_RATE = 1
const MAX_DEVIATIONS = 3

/**
 * Returns how much more viewers watch each part again than other parts as long, in standard deviations; null for parts of
 * which too little is known. Compared is how often those who saw a part repeated it, so that the end of a video, which
 * fewer see, is not at a disadvantage.
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

/** Sums of the buckets before each one, so that any part is measured at once. */
function sumBuckets({ heat, cover }: Viewing): Sums {
	const sums: Sums = { cover: [0], repeated: [0] }
	for (const [at, played] of heat.entries()) {
		const once = cover[at] ?? 0
		sums.cover.push((sums.cover[at] ?? 0) + once)
		sums.repeated.push((sums.repeated[at] ?? 0) + Math.max(0, played - once))
	}
	return sums
}

/** Returns how often those who saw the buckets of a part repeated it; null if too few saw it. */
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
	// Of equal rates, rounding leaves a variance of nearly nothing.
	if (variance < 1e-9) return 0
	const deviations = (own - mean) / Math.sqrt(variance)
	return Math.round(Math.max(-MAX_DEVIATIONS, Math.min(MAX_DEVIATIONS, deviations)) * 100) / 100
}
