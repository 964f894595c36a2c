import type { Rational } from '#schema/contract/video/media-info.ts'

/** A segment in a playlist; `length` is in units of 1/`perSecond` seconds. */
type PlaylistSegment = { uri: string; length: number; range?: number }

type MediaPlaylist = {
	initUri: string
	segments: readonly PlaylistSegment[]
	perSecond: Rational
	targetSec: number
	isIFrames?: boolean
}

const MICROSECONDS = 1_000_000

/**
 * Returns differences of rounded times, not rounded differences. For a video of any length, their sum is accurate to a
 * microsecond.
 */
export function computeSegmentDurations(lengths: readonly number[], { num, den }: Rational): number[] {
	let [units, before] = [0, 0]
	return lengths.map((length) => {
		units += length
		const now = Math.round((units * den * MICROSECONDS) / num)
		const duration = now - before
		before = now
		return duration / MICROSECONDS
	})
}

export function writeMediaPlaylist(playlist: MediaPlaylist): string {
	const { initUri, segments, perSecond, targetSec, isIFrames = false } = playlist
	const lengths = segments.map(({ length }) => length)
	const durations = computeSegmentDurations(lengths, perSecond)
	return lines([
		'#EXTM3U',
		'#EXT-X-VERSION:7',
		`#EXT-X-TARGETDURATION:${targetSec}`,
		'#EXT-X-MEDIA-SEQUENCE:0',
		'#EXT-X-PLAYLIST-TYPE:VOD',
		...(isIFrames ? ['#EXT-X-I-FRAMES-ONLY'] : []),
		`#EXT-X-MAP:URI="${initUri}"`,
		...segments.flatMap(({ uri, range }, k) => [
			`#EXTINF:${(durations[k] ?? 0).toFixed(6)},`,
			...(range === undefined ? [] : [`#EXT-X-BYTERANGE:${range}@0`]),
			uri,
		]),
		'#EXT-X-ENDLIST',
	])
}

export type AudioRendition = {
	name: string
	language: string | null
	isDefault: boolean
	isAutoselect: boolean
	channels: number
	uri: string
}

export type Variant = {
	uri: string
	averageBps: number
	peakBps: number
	codecs: string
	video: { width: number; height: number; fps: Rational } | null
}

const AUDIO_GROUP = 'audio'

export function writeMaster(
	audio: readonly AudioRendition[],
	variants: readonly Variant[],
	iframes: readonly Variant[],
): string {
	return lines([
		'#EXTM3U',
		'#EXT-X-VERSION:7',
		'#EXT-X-INDEPENDENT-SEGMENTS',
		...audio.map(writeAudio),
		...variants.flatMap((variant) => [
			`#EXT-X-STREAM-INF:${attributes([
				...rates(variant),
				['CODECS', quoted(variant.codecs)],
				...resolution(variant),
				...frameRate(variant),
				...(audio.length > 0 ? [['AUDIO', quoted(AUDIO_GROUP)] as const] : []),
			])}`,
			variant.uri,
		]),
		...iframes.map(
			(variant) =>
				`#EXT-X-I-FRAME-STREAM-INF:${attributes([
					...rates(variant),
					['CODECS', quoted(variant.codecs)],
					...resolution(variant),
					['URI', quoted(variant.uri)],
				])}`,
		),
	])
}

const writeAudio = ({ name, language, isDefault, isAutoselect, channels, uri }: AudioRendition): string =>
	`#EXT-X-MEDIA:${attributes([
		['TYPE', 'AUDIO'],
		['GROUP-ID', quoted(AUDIO_GROUP)],
		['NAME', quoted(name)],
		['LANGUAGE', quoted(language ?? 'und')],
		['DEFAULT', isDefault ? 'YES' : 'NO'],
		['AUTOSELECT', isAutoselect ? 'YES' : 'NO'],
		['CHANNELS', quoted(String(channels))],
		['URI', quoted(uri)],
	])}`

type Attribute = readonly [name: string, value: string]

const attributes = (list: readonly Attribute[]): string =>
	list.map(([name, value]) => `${name}=${value}`).join(',')

/** Callers already removed characters that could end the string; this is a safeguard. */
const quoted = (text: string): string => `"${text.replace(/["\r\n]/g, '')}"`

const rates = ({ averageBps, peakBps }: Variant): Attribute[] => [
	['BANDWIDTH', String(Math.ceil(peakBps))],
	['AVERAGE-BANDWIDTH', String(Math.ceil(averageBps))],
]

const resolution = ({ video }: Variant): Attribute[] =>
	video ? [['RESOLUTION', `${video.width}x${video.height}`]] : []

const frameRate = ({ video }: Variant): Attribute[] =>
	video ? [['FRAME-RATE', (video.fps.num / video.fps.den).toFixed(3)]] : []

const lines = (all: readonly string[]): string => `${all.join('\n')}\n`
