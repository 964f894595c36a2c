import type { Listed } from './playlist.ts'
import { listGroupStreams, type Presentation, type Stream } from './presentation.ts'

/** Returns size and duration of each segment: bytes as fetched, seconds by the playlist. */
const segmentSizes = ({ segments, playlist }: Stream) =>
	segments.map(({ media, listed }) => ({
		bits: (media?.bytes ?? 0) * 8,
		seconds: listed.duration,
		target: playlist.targetDuration ?? 0,
	}))

export function measureStreamAverage(stream: Stream): number {
	const all = segmentSizes(stream)
	const seconds = all.reduce((sum, each) => sum + each.seconds, 0)
	return seconds > 0 ? all.reduce((sum, each) => sum + each.bits, 0) / seconds : 0
}

/**
 * Returns the peak bit rate of RFC 8216 4.1: the maximum over runs of segments that last 0.5 to 1.5 target durations.
 */
export function measurePeak(stream: Stream): number {
	const all = segmentSizes(stream)
	const target = stream.playlist.targetDuration ?? 0
	let [peak, bits, seconds, first] = [0, 0, 0, 0]
	const updatePeak = () => {
		if (seconds >= 0.5 * target && seconds <= 1.5 * target) peak = Math.max(peak, bits / seconds)
	}
	for (const each of all) {
		bits += each.bits
		seconds += each.seconds
		// Tries all runs that end here, from the longest to the shortest.
		while (seconds > 1.5 * target && first < all.length) removeFirst()
		const [heldBits, heldSeconds, heldFirst] = [bits, seconds, first]
		while (seconds >= 0.5 * target && first < all.length) {
			updatePeak()
			removeFirst()
		}
		;[bits, seconds, first] = [heldBits, heldSeconds, heldFirst]
	}
	return peak || measureStreamAverage(stream)

	function removeFirst() {
		const gone = all[first++]
		bits -= gone?.bits ?? 0
		seconds -= gone?.seconds ?? 0
	}
}

/** Returns the highest bit rate of the variant's audio group, which is fetched together with the variant. */
function audioRateOf(
	p: Presentation,
	variant: Listed,
	stream: Stream,
	rate: (stream: Stream) => number,
): number {
	const streams = listGroupStreams(p, 'AUDIO', variant.attributes.get('AUDIO')).flatMap(
		(entry) => entry.stream ?? [],
	)
	return Math.max(0, ...streams.filter((each) => each !== stream).map(rate))
}

export const measureAverage = (p: Presentation, variant: Listed, stream: Stream): number =>
	measureStreamAverage(stream) + audioRateOf(p, variant, stream, measureStreamAverage)

export const measurePeakWithAudio = (p: Presentation, variant: Listed, stream: Stream): number =>
	measurePeak(stream) + audioRateOf(p, variant, stream, measurePeak)
