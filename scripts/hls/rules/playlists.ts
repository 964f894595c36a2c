import { isPicture, readCodecNames } from '../codec-name.ts'
import {
	groupOf,
	iframesOf,
	type Presentation,
	pictureStreams,
	type Stream,
	trackOf,
	type Variant,
	variantsOf,
} from '../presentation.ts'
import type { Check } from './check.ts'

const hasPicture = ({ listed, stream }: Variant): boolean =>
	listed.attributes.has('RESOLUTION') ||
	readCodecNames(listed.attributes.get('CODECS')).some(isPicture) ||
	(stream !== null && trackOf(stream, 'video') !== undefined)

const pictureVariants = (p: Presentation): Variant[] => variantsOf(p).filter(hasPicture)

const heightOf = ({ listed }: Variant): number => {
	const [width = 0, height = 0] = (listed.attributes.get('RESOLUTION') ?? '').split('x').map(Number)
	return Math.min(width, height)
}

const missing = (variants: Variant[], attribute: string) =>
	variants
		.filter(({ listed }) => !listed.attributes.has(attribute))
		.map(({ where, listed }) => ({ where, message: `${listed.uri} has none` }))

/** Below this there is nothing that a second variant could still make smaller. */
const SMALL = 360
const HD = 720

export const playlistChecks: Check[] = [
	{
		rule: 20,
		section: '8.6',
		level: 'MUST',
		text: 'Playlists say EXT-X-PLAYLIST-TYPE:VOD, and end with EXT-X-ENDLIST.',
		*find(p) {
			for (const { name, playlist } of p.streams) {
				if (playlist.type !== 'VOD')
					yield { where: name, message: `the type is ${playlist.type ?? 'not said'}` }
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
				const bare = segments.find(({ media, listed }) => media?.format === 'mp4' && !listed.init)
				if (bare) yield { where: `${name}:${bare.listed.line}`, message: 'has none' }
			}
		},
	},
	{
		rule: 23,
		section: '9.1',
		level: 'MUST',
		text: 'Every variant and I-frame stream has CODECS.',
		find: (p) => missing([...variantsOf(p), ...iframesOf(p)], 'CODECS'),
	},
	{
		rule: 23,
		section: '9.2',
		level: 'MUST',
		text: 'CODECS names what is really in the variant and its sound, and nothing else.',
		*find(p) {
			for (const { listed, stream, where } of [...variantsOf(p), ...iframesOf(p)]) {
				const said = readCodecNames(listed.attributes.get('CODECS')).map(({ name }) => name.toLowerCase())
				const sound = groupOf(p, 'AUDIO', listed.attributes.get('AUDIO')).map((entry) => entry.stream)
				const real = codecsOf([stream, ...sound])
				if (said.length === 0 || real.length === 0) continue
				for (const codec of real)
					if (!said.some((each) => isSameCodec(each, codec))) yield { where, message: `lacks ${codec}` }
				for (const each of said)
					if (!real.some((codec) => isSameCodec(each, codec)) && !/^(wvtt|stpp)/.test(each))
						yield { where, message: `names ${each}, which is not there` }
			}
		},
	},
	{
		rule: 23,
		section: '9.3',
		level: 'MUST',
		text: 'Every variant with pictures has its true RESOLUTION.',
		*find(p) {
			const all = [...pictureVariants(p), ...iframesOf(p)]
			yield* missing(all, 'RESOLUTION')
			for (const { listed, stream, where } of all) {
				const said = listed.attributes.get('RESOLUTION')
				const track = stream && trackOf(stream, 'video')
				if (said && track && track.width > 0 && said !== `${track.width}x${track.height}`)
					yield { where, message: `it is ${said}, but really ${track.width}x${track.height}` }
			}
		},
	},
	{
		rule: 23,
		section: '9.14',
		level: 'MUST',
		text: 'Every variant has AVERAGE-BANDWIDTH.',
		find: (p) => missing([...variantsOf(p), ...iframesOf(p)], 'AVERAGE-BANDWIDTH'),
	},
	{
		rule: 23,
		section: '9.15',
		level: 'MUST',
		text: 'Every variant with pictures has its true FRAME-RATE.',
		*find(p) {
			yield* missing(pictureVariants(p), 'FRAME-RATE')
			for (const { listed, stream, where } of pictureVariants(p)) {
				const said = Number(listed.attributes.get('FRAME-RATE') ?? 0)
				const real = stream ? frameRateOf(stream) : 0
				if (said > 0 && real > 0 && Math.abs(said - real) > 0.02)
					yield { where, message: `it is ${said}, but really ${real.toFixed(3)}` }
			}
		},
	},
	{
		rule: 23,
		section: '9.16',
		level: 'MUST',
		text: 'Every variant has VIDEO-RANGE, unless all are SDR.',
		*find(p) {
			const isHdr = pictureStreams(p).some((stream) => isHdrColor(trackOf(stream, 'video')?.color ?? null))
			const isSaid = variantsOf(p).some(
				({ listed }) => (listed.attributes.get('VIDEO-RANGE') ?? 'SDR') !== 'SDR',
			)
			if (isHdr || isSaid) yield* missing(pictureVariants(p), 'VIDEO-RANGE')
		},
	},
	{
		rule: 24,
		section: '9.9',
		level: 'MUST',
		text: 'There are several bit rates.',
		*find(p) {
			const variants = pictureVariants(p)
			const tallest = Math.max(0, ...variants.map(heightOf))
			if (p.master && variants.length === 1 && tallest > SMALL)
				yield { where: p.name, message: `there is one, of ${tallest} lines` }
		},
	},
	{
		rule: 24,
		section: '9.10',
		level: 'SHOULD',
		text: 'HD has two bit rates at its top resolution.',
		remark: 'A second encode of the largest size costs most, for players that the next size serves as well.',
		*find(p) {
			const variants = pictureVariants(p)
			const tallest = Math.max(0, ...variants.map(heightOf))
			if (tallest >= HD && variants.filter((each) => heightOf(each) === tallest).length < 2)
				yield { where: p.name, message: `${tallest} lines have one` }
		},
	},
	{
		rule: 24,
		section: '9.11',
		level: 'MUST',
		text: 'EXT-X-INDEPENDENT-SEGMENTS stands in the master playlist, or in each of pictures.',
		*find(p) {
			// A media playlist that is looked at by itself may have a master that says it.
			if (!p.master || p.master.isIndependent) return
			for (const { name, playlist } of pictureStreams(p))
				if (!playlist.isIndependent) yield { where: name, message: 'it does not' }
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

/** Of AV1 and HEVC what follows the level may be left out. */
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
