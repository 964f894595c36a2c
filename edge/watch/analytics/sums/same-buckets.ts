import { computeCurve, unpackCurve } from './curve.ts'
import type { Sums } from './sums.ts'

/**
 * Drops a curve whose buckets do not fit a video of this duration: the video was replaced by another one. Its starts no
 * longer count for the retention.
 */
export function fitBuckets(sums: Sums, durationMs: number): Sums {
	if (sums.curve === null) return sums
	const bucketMs = computeCurve([], durationMs)?.bucketMs
	return unpackCurve(sums.curve).bucketMs === bucketMs ? sums : { ...sums, curve: null, placedStarts: 0 }
}
