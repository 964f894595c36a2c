import type { Listed } from './playlist.ts'
import { groupOf, type Presentation, type Stream } from './presentation.ts'

/** What a stream weighs: measured by what was fetched over what the playlist says it lasts. */
const weighed = ({ segments, playlist }: Stream) =>
	segments.map(({ media, listed }) => ({
		bits: (media?.bytes ?? 0) * 8,
		seconds: listed.duration,
		target: playlist.targetDuration ?? 0,
	}))

export function averageOfStream(stream: Stream): number {
	const all = weighed(stream)
	const seconds = all.reduce((sum, each) => sum + each.seconds, 0)
	return seconds > 0 ? all.reduce((sum, each) => sum + each.bits, 0) / seconds : 0
}

/** RFC 8216 4.1: the largest of runs of segments from half to one and a half target durations. */
export function measuredPeak(stream: Stream): number {
	const all = weighed(stream)
	const target = stream.playlist.targetDuration ?? 0
	let [peak, bits, seconds, first] = [0, 0, 0, 0]
	const judge = () => {
		if (seconds >= 0.5 * target && seconds <= 1.5 * target) peak = Math.max(peak, bits / seconds)
	}
	for (const each of all) {
		bits += each.bits
		seconds += each.seconds
		// From the longest run that ends here to the shortest.
		while (seconds > 1.5 * target && first < all.length) drop()
		const [heldBits, heldSeconds, heldFirst] = [bits, seconds, first]
		while (seconds >= 0.5 * target && first < all.length) {
			judge()
			drop()
		}
		;[bits, seconds, first] = [heldBits, heldSeconds, heldFirst]
	}
	return peak || averageOfStream(stream)

	function drop() {
		const gone = all[first++]
		bits -= gone?.bits ?? 0
		seconds -= gone?.seconds ?? 0
	}
}

/** Sound that a variant names is fetched with it; the heaviest counts. */
function soundOf(p: Presentation, variant: Listed, stream: Stream, rate: (stream: Stream) => number): number {
	const streams = groupOf(p, 'AUDIO', variant.attributes.get('AUDIO')).flatMap((entry) => entry.stream ?? [])
	return Math.max(0, ...streams.filter((each) => each !== stream).map(rate))
}

export const measuredAverage = (p: Presentation, variant: Listed, stream: Stream): number =>
	averageOfStream(stream) + soundOf(p, variant, stream, averageOfStream)

export const measuredPeakOf = (p: Presentation, variant: Listed, stream: Stream): number =>
	measuredPeak(stream) + soundOf(p, variant, stream, measuredPeak)
