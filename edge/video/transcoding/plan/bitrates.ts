/** Size and duration of a segment, or of its I-frame for trick play. */
export type SegmentSize = { bytes: number; seconds: number }

const bitsPerSecond = ({ bytes, seconds }: SegmentSize): number => (bytes * 8) / seconds

export const computeAverageRateBps = (segments: readonly SegmentSize[]): number =>
	bitsPerSecond(segments.reduce(sum, { bytes: 0, seconds: 0 }))

const sum = (a: SegmentSize, b: SegmentSize): SegmentSize => ({
	bytes: a.bytes + b.bytes,
	seconds: a.seconds + b.seconds,
})

/** The peak bitrate of RFC 8216: the highest of all runs of segments that last 0.5 to 1.5 target durations. */
export function computePeakRateBps(segments: readonly SegmentSize[], targetSec: number): number {
	let peak = 0
	for (let first = 0; first < segments.length; first++) {
		let run = { bytes: 0, seconds: 0 }
		for (let next = first; next < segments.length; next++) {
			run = sum(run, segments[next] ?? run)
			if (run.seconds > 1.5 * targetSec) break
			if (run.seconds >= 0.5 * targetSec) peak = Math.max(peak, bitsPerSecond(run))
		}
	}
	// A track too short for any such run has its average as the peak.
	return Math.max(peak, computeAverageRateBps(segments))
}
