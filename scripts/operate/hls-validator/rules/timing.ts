import {
	computeFrameDurationSec,
	describeLocation,
	findTrack,
	listFragments,
	listPlayedStreams,
	measureStreamSeconds,
	type Presentation,
	type Stream,
} from '../presentation.ts'
import { type Check, formatSeconds } from './check.ts'

/** Tolerance for rounding in the time scales of streams. */
const CLOCK_SEC = 0.001
const RECOMMENDED_SEC = 6

const kindOf = (stream: Stream): 'video' | 'audio' => (findTrack(stream, 'video') ? 'video' : 'audio')

/** Returns the streams with parsed fragments, which are fMP4. */
const timed = (p: Presentation): Stream[] =>
	listPlayedStreams(p).filter((stream) => listFragments(stream, kindOf(stream)).length > 0)

export const timingChecks: Check[] = [
	{
		rule: 18,
		section: '7.3',
		level: 'MUST',
		text: 'Decode times are continuous across segments.',
		*find(p) {
			for (const stream of timed(p))
				for (const kind of ['video', 'audio'] as const) {
					let before: number | null = null
					for (const { fragment, listed, where } of listFragments(stream, kind)) {
						const gap = before === null || listed.isDiscontinuous ? 0 : fragment.decodeStart - before
						if (Math.abs(gap) > CLOCK_SEC)
							yield {
								where,
								message: `${gap > 0 ? 'a gap' : 'an overlap'} of ${formatSeconds(Math.abs(gap))}`,
							}
						before = fragment.decodeEnd
					}
				}
		},
	},
	{
		rule: 18,
		section: '7.5',
		level: 'SHOULD',
		text: 'The target duration is 6 s.',
		remark:
			'Shorter segments start playback and switch quality sooner; for a copied source the key frames decide.',
		*find(p) {
			for (const { name, playlist } of listPlayedStreams(p))
				if (playlist.targetDuration !== null && playlist.targetDuration !== RECOMMENDED_SEC)
					yield { where: name, message: `the target duration is ${playlist.targetDuration} s` }
		},
	},
	{
		rule: 18,
		section: '7.7',
		level: 'MUST',
		text: 'No segment exceeds the target duration by more than half a second.',
		*find(p) {
			for (const stream of listPlayedStreams(p))
				for (const [index, { listed, media }] of stream.segments.entries()) {
					const [fragment] = media?.fragments ?? []
					const real = fragment ? fragment.decodeEnd - fragment.decodeStart : listed.duration
					const target = stream.playlist.targetDuration ?? Number.POSITIVE_INFINITY
					const longest = Math.max(real, listed.duration)
					if (longest > target + 0.5 + CLOCK_SEC)
						yield {
							where: describeLocation(stream, index),
							message: `${formatSeconds(longest)} with a target of ${target} s`,
						}
				}
		},
	},
	{
		rule: 19,
		section: '8.1',
		level: 'MUST',
		text: 'The sum of durations up to any segment is accurate to one frame.',
		*find(p) {
			for (const stream of timed(p)) {
				const fragments = listFragments(stream, kindOf(stream))
				const start = fragments[0]?.fragment.decodeStart ?? 0
				const tolerance = computeFrameDurationSec(stream) + CLOCK_SEC
				let declared = 0
				for (const { fragment, listed, where } of fragments) {
					if (listed.isDiscontinuous) break
					declared += listed.duration
					const real = fragment.decodeEnd - start
					if (Math.abs(declared - real) > tolerance) {
						yield {
							where,
							message: `the playlist sums up to ${formatSeconds(declared)}, the media to ${formatSeconds(real)}`,
						}
						break
					}
				}
			}
		},
	},
	{
		rule: 19,
		section: '8.2',
		level: 'MUST',
		text: 'Audio and video have the same target duration.',
		*find(p) {
			const all = listPlayedStreams(p).filter(({ role }) => role !== 'subtitles')
			const targets = [...new Set(all.map(({ playlist }) => playlist.targetDuration))]
			if (targets.length > 1)
				yield { where: p.name, message: `target durations are ${targets.join(' s and ')} s` }
		},
	},
	{
		rule: 19,
		section: '8.3',
		level: 'MUST',
		text: 'Audio and video have the same duration.',
		*find(p) {
			const all = listPlayedStreams(p).filter(({ role }) => role !== 'subtitles')
			const [first] = all
			if (!first) return
			for (const stream of all) {
				const differ = measureStreamSeconds(stream) - measureStreamSeconds(first)
				// Each stream ends with a whole frame of its own duration.
				const tolerance = computeFrameDurationSec(stream) + computeFrameDurationSec(first) || 0.5
				if (Math.abs(differ) > tolerance + CLOCK_SEC)
					yield {
						where: stream.name,
						message: `is ${formatSeconds(Math.abs(differ))} ${differ > 0 ? 'longer' : 'shorter'} than ${first.name}`,
					}
			}
		},
	},
	{
		rule: 20,
		section: '8.7',
		level: 'MUST',
		text: 'All streams begin at the same time.',
		*find(p) {
			const starts = timed(p).flatMap((stream) => {
				const [first] = listFragments(stream, kindOf(stream))
				return first ? [{ stream, at: first.fragment.start }] : []
			})
			const [first] = starts
			for (const { stream, at } of starts) {
				const tolerance =
					Math.max(computeFrameDurationSec(stream), first ? computeFrameDurationSec(first.stream) : 0) +
					CLOCK_SEC
				const differ = at - (first?.at ?? at)
				if (Math.abs(differ) > tolerance)
					yield {
						where: stream.name,
						message: `begins ${formatSeconds(Math.abs(differ))} ${differ > 0 ? 'after' : 'before'} ${first?.stream.name}`,
					}
			}
		},
	},
	{
		rule: 22,
		section: '8.22',
		level: 'MUST',
		text: 'Segments of all variants begin at the same times.',
		*find(p) {
			const [first, ...others] = p.streams.filter(({ role }) => role === 'variant')
			if (!first) return
			// An audio-only variant is cut at its own frames, so it is not compared with video.
			for (const stream of others.filter((each) => kindOf(each) === kindOf(first))) {
				const tolerance =
					Math.min(computeFrameDurationSec(first), computeFrameDurationSec(stream)) / 2 + CLOCK_SEC
				const [own, its] = [startsOf(first), startsOf(stream)]
				if (own.length !== its.length) {
					yield { where: stream.name, message: `has ${its.length} segments, but ${first.name} ${own.length}` }
					continue
				}
				const index = own.findIndex((at, k) => Math.abs(at - (its[k] ?? 0)) > tolerance)
				if (index >= 0)
					yield {
						where: describeLocation(stream, index),
						message: `begins at ${formatSeconds(its[index] ?? 0)}, but ${first.name} at ${formatSeconds(own[index] ?? 0)}`,
					}
			}
		},
	},
]

/** Returns the start times of segments, by their fragments if parsed, or by the playlist. */
function startsOf(stream: Stream): number[] {
	const read = listFragments(stream, kindOf(stream))
	if (read.length === stream.segments.length) {
		const first = read[0]?.fragment.decodeStart ?? 0
		return read.map(({ fragment }) => fragment.decodeStart - first)
	}
	let at = 0
	return stream.playlist.segments.map(({ duration }) => {
		at += duration
		return at - duration
	})
}
