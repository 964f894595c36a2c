import { isPicture, readCodecNames } from '../codec-name.ts'
import {
	findTrack,
	listGroupStreams,
	listIFrames,
	listPictureStreams,
	listVariants,
	type Presentation,
	type Stream,
	type Variant,
} from '../presentation.ts'
import type { Check } from './check.ts'

const hasPicture = ({ listed, stream }: Variant): boolean =>
	listed.attributes.has('RESOLUTION') ||
	readCodecNames(listed.attributes.get('CODECS')).some(isPicture) ||
	(stream !== null && findTrack(stream, 'video') !== undefined)

const pictureVariants = (p: Presentation): Variant[] => listVariants(p).filter(hasPicture)

const heightOf = ({ listed }: Variant): number => {
	const [width = 0, height = 0] = (listed.attributes.get('RESOLUTION') ?? '').split('x').map(Number)
	return Math.min(width, height)
}

const missing = (variants: Variant[], attribute: string) =>
	variants
		.filter(({ listed }) => !listed.attributes.has(attribute))
		.map(({ where, listed }) => ({ where, message: `${listed.uri} has no ${attribute}` }))

/** At this height a second, smaller variant is not useful. */
const SMALL = 360
const HD = 720

export const playlistChecks: Check[] = [
	{
		rule: 20,
		section: '8.6',
		level: 'MUST',
		text: 'Playlists have EXT-X-PLAYLIST-TYPE:VOD and end with EXT-X-ENDLIST.',
		*find(p) {
			for (const { name, playlist } of p.streams) {
				if (playlist.type !== 'VOD')
					yield { where: name, message: `EXT-X-PLAYLIST-TYPE is ${playlist.type ?? 'missing'}` }
				if (!playlist.isEnded) yield { where: name, message: 'has no EXT-X-ENDLIST' }
			}
		},
	},
	{
		rule: 22,
		section: '8.20',
		level: 'MUST',
		text: 'fMP4 segments have an EXT-X-MAP.',
		*find(p) {
			for (const { name, segments } of p.streams) {
				const withoutMap = segments.find(({ media, listed }) => media?.format === 'mp4' && !listed.init)
				if (withoutMap) yield { where: `${name}:${withoutMap.listed.line}`, message: 'has no EXT-X-MAP' }
			}
		},
	},
	{
		rule: 23,
		section: '9.1',
		level: 'MUST',
		text: 'Every variant and I-frame stream has CODECS.',
		find: (p) => missing([...listVariants(p), ...listIFrames(p)], 'CODECS'),
	},
	{
		rule: 23,
		section: '9.2',
		level: 'MUST',
		text: 'CODECS lists exactly the codecs of the variant and its audio.',
		*find(p) {
			for (const { listed, stream, where } of [...listVariants(p), ...listIFrames(p)]) {
				const declared = readCodecNames(listed.attributes.get('CODECS')).map(({ name }) => name.toLowerCase())
				const sound = listGroupStreams(p, 'AUDIO', listed.attributes.get('AUDIO')).map(
					(entry) => entry.stream,
				)
				const real = codecsOf([stream, ...sound])
				if (declared.length === 0 || real.length === 0) continue
				for (const codec of real)
					if (!declared.some((each) => isSameCodec(each, codec))) yield { where, message: `lacks ${codec}` }
				for (const each of declared)
					if (!real.some((codec) => isSameCodec(each, codec)) && !/^(wvtt|stpp)/.test(each))
						yield { where, message: `lists ${each}, which is not in the streams` }
			}
		},
	},
	{
		rule: 23,
		section: '9.3',
		level: 'MUST',
		text: 'Every video variant has the correct RESOLUTION.',
		*find(p) {
			const all = [...pictureVariants(p), ...listIFrames(p)]
			yield* missing(all, 'RESOLUTION')
			for (const { listed, stream, where } of all) {
				const declared = listed.attributes.get('RESOLUTION')
				const track = stream && findTrack(stream, 'video')
				if (declared && track && track.width > 0 && declared !== `${track.width}x${track.height}`)
					yield {
						where,
						message: `RESOLUTION is ${declared}, but the video is ${track.width}x${track.height}`,
					}
			}
		},
	},
	{
		rule: 23,
		section: '9.14',
		level: 'MUST',
		text: 'Every variant has AVERAGE-BANDWIDTH.',
		find: (p) => missing([...listVariants(p), ...listIFrames(p)], 'AVERAGE-BANDWIDTH'),
	},
	{
		rule: 23,
		section: '9.15',
		level: 'MUST',
		text: 'Every video variant has the correct FRAME-RATE.',
		*find(p) {
			yield* missing(pictureVariants(p), 'FRAME-RATE')
			for (const { listed, stream, where } of pictureVariants(p)) {
				const declared = Number(listed.attributes.get('FRAME-RATE') ?? 0)
				const real = stream ? frameRateOf(stream) : 0
				if (declared > 0 && real > 0 && Math.abs(declared - real) > 0.02)
					yield { where, message: `FRAME-RATE is ${declared}, but the video has ${real.toFixed(3)}` }
			}
		},
	},
	{
		rule: 23,
		section: '9.16',
		level: 'MUST',
		text: 'Every variant has VIDEO-RANGE, unless all are SDR.',
		*find(p) {
			const isHdr = listPictureStreams(p).some((stream) =>
				isHdrColor(findTrack(stream, 'video')?.color ?? null),
			)
			const isDeclared = listVariants(p).some(
				({ listed }) => (listed.attributes.get('VIDEO-RANGE') ?? 'SDR') !== 'SDR',
			)
			if (isHdr || isDeclared) yield* missing(pictureVariants(p), 'VIDEO-RANGE')
		},
	},
	{
		rule: 24,
		section: '9.9',
		level: 'MUST',
		text: 'There are several variants with different bit rates.',
		*find(p) {
			const variants = pictureVariants(p)
			const tallest = Math.max(0, ...variants.map(heightOf))
			if (p.master && variants.length === 1 && tallest > SMALL)
				yield { where: p.name, message: `has one variant, with ${tallest} lines` }
		},
	},
	{
		rule: 24,
		section: '9.10',
		level: 'SHOULD',
		text: 'HD has two bit rates at its top resolution.',
		remark:
			'A second encode of the largest size is the most expensive, and the next smaller size serves the same players.',
		*find(p) {
			const variants = pictureVariants(p)
			const tallest = Math.max(0, ...variants.map(heightOf))
			if (tallest >= HD && variants.filter((each) => heightOf(each) === tallest).length < 2)
				yield { where: p.name, message: `has one variant with ${tallest} lines` }
		},
	},
	{
		rule: 24,
		section: '9.11',
		level: 'MUST',
		text: 'EXT-X-INDEPENDENT-SEGMENTS is in the master playlist or in every video playlist.',
		*find(p) {
			// A media playlist that is checked alone may have a master playlist with the tag.
			if (!p.master || p.master.isIndependent) return
			for (const { name, playlist } of listPictureStreams(p))
				if (!playlist.isIndependent) yield { where: name, message: 'has no EXT-X-INDEPENDENT-SEGMENTS' }
		},
	},
]

const codecsOf = (streams: readonly (Stream | null)[]): string[] => [
	...new Set(
		streams.flatMap(
			(stream) => stream?.inits.flatMap(({ tracks }) => tracks.map(({ codec }) => codec.toLowerCase())) ?? [],
		),
	),
]

/** Compares codec names. In AV1 and HEVC the fields after the level are optional. */
function isSameCodec(a: string, b: string): boolean {
	const short = (name: string) =>
		/^(av01|hvc1|hev1)/.test(name) ? name.split('.').slice(0, 4).join('.') : name
	return short(a) === short(b)
}

function frameRateOf(stream: Stream): number {
	const fragments = stream.segments.flatMap(({ media }) => media?.fragments ?? [])
	const pictures = fragments.filter(({ track }) => track.kind === 'video')
	const seconds = pictures.reduce((sum, { decodeStart, decodeEnd }) => sum + decodeEnd - decodeStart, 0)
	return seconds > 0 ? pictures.reduce((sum, { samples }) => sum + samples, 0) / seconds : 0
}

/** Transfer functions of HDR: PQ and HLG. */
const isHdrColor = (color: string | null): boolean => ['16', '18'].includes(color?.split('/')[1] ?? '')
