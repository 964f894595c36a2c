/** A segment, or what a trick-play fetches of it. */
export type Weighed = { bytes: number; seconds: number }

const bitsPerSecond = ({ bytes, seconds }: Weighed): number => (bytes * 8) / seconds

export const averageOf = (segments: readonly Weighed[]): number =>
	bitsPerSecond(segments.reduce(together, { bytes: 0, seconds: 0 }))

const together = (a: Weighed, b: Weighed): Weighed => ({
	bytes: a.bytes + b.bytes,
	seconds: a.seconds + b.seconds,
})

/** As RFC 8216 has it: of all runs of segments that last from half to one and a half target durations, the heaviest. */
export function peakOf(segments: readonly Weighed[], targetSec: number): number {
	let peak = 0
	for (let first = 0; first < segments.length; first++) {
		let run = { bytes: 0, seconds: 0 }
		for (let next = first; next < segments.length; next++) {
			run = together(run, segments[next] ?? run)
			if (run.seconds > 1.5 * targetSec) break
			if (run.seconds >= 0.5 * targetSec) peak = Math.max(peak, bitsPerSecond(run))
		}
	}
	// What is too short for any such run is its own peak.
	return Math.max(peak, averageOf(segments))
}
