import {
	describeLocation,
	listFragments,
	listPictureStreams,
	listPlayedStreams,
	measureStreamSeconds,
	type Presentation,
	type Stream,
} from '../presentation.ts'
import { readWebVtt } from '../web-vtt.ts'
import { type Check, formatSeconds } from './check.ts'

/** Cue times are whole milliseconds, and durations have few digits. */
const CLOCK_SEC = 0.002

const subtitlesOf = (p: Presentation): Stream[] => p.streams.filter(({ role }) => role === 'subtitles')

/** Returns the segments that could be read, with their times in seconds from the beginning of the presentation. */
function segmentsOf(stream: Stream) {
	let end = 0
	return stream.segments.flatMap(({ listed, media }, index) => {
		const from = end
		end += listed.duration
		if (typeof media?.text !== 'string') return []
		return [{ ...readWebVtt(media.text), from, to: end, where: describeLocation(stream, index) }]
	})
}

/** Returns the variant to which subtitles are compared: one with video if there is one. */
const playedVariant = (p: Presentation): Stream | undefined =>
	[...listPictureStreams(p), ...listPlayedStreams(p)].find(({ role }) => role === 'variant')

/** Returns when the media begins; null for media that is not fMP4. */
function startOf(p: Presentation): number | null {
	const variant = playedVariant(p)
	const fragments = variant && [...listFragments(variant, 'video'), ...listFragments(variant, 'audio')]
	return fragments?.[0]?.fragment.start ?? null
}

export const subtitleChecks: Check[] = [
	{
		rule: 16,
		section: '5.3',
		level: 'MUST',
		text: 'WebVTT segments have an X-TIMESTAMP-MAP.',
		*find(p) {
			for (const stream of subtitlesOf(p))
				for (const { offset, where } of segmentsOf(stream))
					if (offset === null) yield { where, message: 'has no valid X-TIMESTAMP-MAP in its header' }
		},
	},
	{
		rule: 16,
		section: '5.3 start',
		level: 'MUST',
		text: 'The X-TIMESTAMP-MAP puts cue time 0 at the beginning of the presentation.',
		*find(p) {
			const start = startOf(p)
			if (start === null) return
			for (const stream of subtitlesOf(p))
				for (const { offset, where } of segmentsOf(stream))
					if (offset !== null && Math.abs(offset - start) > 0.02)
						yield {
							where,
							message: `cue time 0 is at ${formatSeconds(offset)}, but the media begins at ${formatSeconds(start)}`,
						}
		},
	},
	{
		rule: 16,
		section: 'RFC 8216 3.5',
		level: 'MUST',
		text: 'A segment of subtitles has all cues that are shown during it, in order, and no others.',
		*find(p) {
			const start = startOf(p) ?? 0
			for (const stream of subtitlesOf(p)) {
				const segments = segmentsOf(stream)
				for (const { cues, malformed, from, to, where } of segments) {
					for (const line of malformed) yield { where, message: `${JSON.stringify(line)} begins no cue` }
					for (const [at, cue] of cues.entries()) {
						if (cue.to <= cue.from)
							yield { where, message: `a cue at ${formatSeconds(cue.from)} ends before it begins` }
						if (cue.from < (cues[at - 1]?.from ?? cue.from))
							yield { where, message: `the cue at ${formatSeconds(cue.from)} is out of order` }
						if (cue.from - start >= to + CLOCK_SEC || cue.to - start <= from - CLOCK_SEC)
							yield {
								where,
								message: `the cue at ${formatSeconds(cue.from)} is shown outside of the segment`,
							}
					}
				}
				const keyOf = ({ from, to, content }: (typeof segments)[number]['cues'][number]) =>
					`${from.toFixed(3)} ${to.toFixed(3)} ${content}`
				const cues = new Map(segments.flatMap((each) => each.cues.map((cue) => [keyOf(cue), cue] as const)))
				for (const segment of segments) {
					const own = new Set(segment.cues.map(keyOf))
					for (const [key, cue] of cues)
						if (
							cue.from - start < segment.to - CLOCK_SEC &&
							cue.to - start > segment.from + CLOCK_SEC &&
							!own.has(key)
						)
							yield { where: segment.where, message: `lacks the cue at ${formatSeconds(cue.from)}` }
				}
			}
		},
	},
	{
		rule: 16,
		section: '5.5',
		level: 'MUST',
		text: 'Subtitles cover the whole content.',
		*find(p) {
			const others = [
				...listPictureStreams(p),
				...listPlayedStreams(p).filter(({ role }) => role === 'variant'),
			]
			const whole = Math.max(0, ...others.map(measureStreamSeconds))
			for (const stream of subtitlesOf(p)) {
				const missing = whole - measureStreamSeconds(stream)
				if (missing > 1) yield { where: stream.name, message: `ends ${formatSeconds(missing)} too early` }
			}
		},
	},
	{
		rule: 16,
		section: '5.5 groups',
		level: 'MUST',
		text: 'All variants have the subtitles.',
		*find({ name, master }) {
			if (!master?.renditions.some(({ attributes }) => attributes.get('TYPE') === 'SUBTITLES')) return
			for (const { attributes, line } of master.variants)
				if (!attributes.has('SUBTITLES')) yield { where: `${name}:${line}`, message: 'has no SUBTITLES' }
		},
	},
	{
		rule: 16,
		section: '5.5 segments',
		level: 'SHOULD',
		text: 'Segments of subtitles are as long as those of the pictures.',
		*find(p) {
			const variant = playedVariant(p)
			if (!variant) return
			const lengths = (stream: Stream) => stream.playlist.segments.map(({ duration }) => duration)
			const expected = lengths(variant)
			for (const stream of subtitlesOf(p)) {
				const own = lengths(stream)
				const at = own.findIndex((length, k) => Math.abs(length - (expected[k] ?? 0)) > CLOCK_SEC)
				if (at >= 0)
					yield {
						where: describeLocation(stream, at),
						message: `lasts ${formatSeconds(own[at] ?? 0)}, but that of ${variant.name} ${formatSeconds(expected[at] ?? 0)}`,
					}
				else if (own.length !== expected.length)
					yield {
						where: stream.name,
						message: `has ${own.length} segments, but ${variant.name} ${expected.length}`,
					}
			}
		},
	},
]
