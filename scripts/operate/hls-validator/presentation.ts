import type { Init } from './init-segment.ts'
import type { MediaSegment } from './media-segment.ts'
import type { Listed, ListedSegment, MasterPlaylist, MediaPlaylist } from './playlist.ts'

/** How a file was delivered over HTTP; null for files on disk. */
export type Delivery = {
	contentType: string | null
	contentEncoding: string | null
	/** Target of the first redirect. */
	redirectedTo: string | null
}

export type Fetched = { url: string; kind: 'playlist' | 'init' | 'segment'; delivery: Delivery | null }

export type LoadedSegment = {
	listed: ListedSegment
	url: string
	/** null if the segment could not be fetched. */
	media: MediaSegment | null
	init: Init | null
}

export type Stream = {
	role: 'variant' | 'iframes' | 'audio' | 'subtitles' | 'video'
	/** Its URI in the master playlist. */
	name: string
	url: string
	playlist: MediaPlaylist
	segments: LoadedSegment[]
	/** Its init segments, in order. */
	inits: Init[]
}

export type Unreachable = { where: string; message: string }

/** Input of all rules. */
export type Presentation = {
	url: string
	name: string
	/** null if the address is a media playlist. */
	master: MasterPlaylist | null
	streams: Stream[]
	fetched: Fetched[]
	unreachable: Unreachable[]
}

export type Variant = { listed: Listed; stream: Stream | null; where: string }

const entriesOf = (p: Presentation, listed: readonly Listed[] | undefined): Variant[] =>
	(listed ?? []).map((each) => ({
		listed: each,
		stream: p.streams.find(({ name }) => name === each.uri) ?? null,
		where: `${p.name}:${each.line}`,
	}))

export const listVariants = (p: Presentation): Variant[] => entriesOf(p, p.master?.variants)
export const listIFrames = (p: Presentation): Variant[] => entriesOf(p, p.master?.iframes)

/** Returns the streams of a group such as `AUDIO="a"`. */
export const listGroupStreams = (p: Presentation, type: string, group: string | undefined): Variant[] =>
	entriesOf(
		p,
		p.master?.renditions.filter(
			({ attributes }) => attributes.get('TYPE') === type && attributes.get('GROUP-ID') === group,
		),
	)

/** Returns the streams for normal playback, without trick play. */
export const listPlayedStreams = (p: Presentation): Stream[] =>
	p.streams.filter(({ role }) => role !== 'iframes')

export const findTrack = (stream: Stream, kind: 'video' | 'audio') =>
	stream.inits.flatMap(({ tracks }) => tracks).find((track) => track.kind === kind)

export const listPictureStreams = (p: Presentation): Stream[] =>
	listPlayedStreams(p).filter((stream) => findTrack(stream, 'video') !== undefined)

export const measureStreamSeconds = (stream: Stream): number =>
	stream.playlist.segments.reduce((sum, { duration }) => sum + duration, 0)

export const listFragments = (stream: Stream, kind: 'video' | 'audio') =>
	stream.segments.flatMap(({ media, listed }, index) =>
		(media?.fragments ?? [])
			.filter(({ track }) => track.kind === kind)
			.map((fragment) => ({ fragment, index, listed, where: describeLocation(stream, index) })),
	)

export const describeLocation = (stream: Stream, index: number): string =>
	`${stream.name} segment ${index} (line ${stream.playlist.segments[index]?.line ?? '?'})`

/** Returns the duration of one video or audio frame, by the fragments. */
export function computeFrameDurationSec(stream: Stream): number {
	const [one] = stream.segments.flatMap(({ media }) => media?.fragments ?? [])
	return one && one.samples > 0 ? (one.decodeEnd - one.decodeStart) / one.samples : 0
}
