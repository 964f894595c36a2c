import { isPicture, type NamedCodec, readCodecName, readCodecNames } from '../codec-name.ts'
import { computeNeededLevel } from '../h264.ts'
import {
	computeFrameDurationSec,
	findTrack,
	listFragments,
	listPictureStreams,
	listVariants,
	type Presentation,
	type Stream,
} from '../presentation.ts'
import { measurePeak } from '../weight.ts'
import type { Check } from './check.ts'

type FoundCodec = { codec: NamedCodec; where: string; stream: Stream | null }

/** Yields the video codecs that variants declare and that their init segments contain. */
function* picturesOf(p: Presentation): Iterable<FoundCodec> {
	for (const { listed, stream, where } of listVariants(p))
		for (const codec of readCodecNames(listed.attributes.get('CODECS')).filter(isPicture))
			yield { codec, where, stream }
	for (const stream of listPictureStreams(p))
		for (const track of stream.inits.flatMap(({ tracks }) => tracks))
			if (track.kind === 'video') yield { codec: readCodecName(track.codec), where: stream.name, stream }
}

const HIGH = 100
const MAIN10 = 2
const h264Profiles = [66, 77, HIGH]

export const codecChecks: Check[] = [
	{
		rule: 1,
		section: '1.2',
		level: 'MUST',
		text: 'Video is H.264, HEVC or AV1.',
		*find(p) {
			for (const stream of listPictureStreams(p)) {
				const codec = findTrack(stream, 'video')?.codec ?? ''
				if (!isPicture(readCodecName(codec))) yield { where: stream.name, message: `the codec is ${codec}` }
			}
			for (const { listed, where } of listVariants(p))
				for (const codec of readCodecNames(listed.attributes.get('CODECS')))
					if (codec.family === 'unknown')
						yield { where, message: `CODECS names ${codec.name}, which is not H.264, HEVC or AV1` }
		},
	},
	{
		rule: 1,
		section: '1.5',
		level: 'MUST',
		text: 'HEVC and AV1 are in fMP4, H.264 in fMP4 or MPEG-TS.',
		*find(p) {
			for (const { listed, stream, where } of listVariants(p)) {
				const formats = new Set(stream?.segments.map(({ media }) => media?.format))
				if (formats.has('unknown'))
					yield { where: stream?.name ?? where, message: 'segments are neither fMP4 nor MPEG-TS' }
				const others = readCodecNames(listed.attributes.get('CODECS')).filter(
					({ family }) => family === 'hevc' || family === 'av1',
				)
				if (formats.has('ts') && others[0]) yield { where, message: `${others[0].name} in MPEG-TS` }
			}
		},
	},
	{
		rule: 2,
		section: '1.3',
		level: 'MUST',
		text: 'H.264 is at most High profile, level 5.2.',
		*find(p) {
			for (const { codec, where } of picturesOf(p))
				if (
					codec.family === 'h264' &&
					(!h264Profiles.includes(codec.profile ?? HIGH) || (codec.level ?? 0) > 52)
				)
					yield { where, message: `${codec.name} exceeds this` }
		},
	},
	{
		rule: 2,
		section: '1.3a',
		level: 'SHOULD',
		text: 'Some H.264 is at most High profile, level 4.1.',
		*find(p) {
			const h264 = [...picturesOf(p)].filter(({ codec }) => codec.family === 'h264')
			if (h264.length > 0 && h264.every(({ codec }) => (codec.level ?? 0) > 41))
				yield { where: p.name, message: 'all H.264 is above level 4.1' }
		},
	},
	{
		rule: 2,
		section: '1.6',
		level: 'MUST',
		text: 'HEVC is at most Main 10, level 5.1, High tier.',
		*find(p) {
			for (const { codec, where } of picturesOf(p))
				if (codec.family === 'hevc' && ((codec.profile ?? MAIN10) > MAIN10 || (codec.level ?? 0) > 153))
					yield { where, message: `${codec.name} exceeds this` }
		},
	},
	{
		rule: 2,
		section: '1.6a',
		level: 'SHOULD',
		text: 'Some HEVC is at most Main profile, level 4.0, Main tier.',
		*find(p) {
			const isMore = ({ codec }: FoundCodec) =>
				codec.profile !== 1 || (codec.level ?? 0) > 120 || codec.tier === 'high'
			const hevc = [...picturesOf(p)].filter(({ codec }) => codec.family === 'hevc')
			if (hevc.length > 0 && hevc.every(isMore))
				yield { where: p.name, message: 'all HEVC is above Main profile, level 4.0' }
		},
	},
	{
		rule: 3,
		section: '1.4',
		level: 'SHOULD',
		text: 'H.264 is High profile rather than Main or Baseline.',
		*find(p) {
			for (const { codec, where } of picturesOf(p))
				if (codec.family === 'h264' && codec.profile !== null && codec.profile < HIGH)
					yield { where, message: `${codec.name} has a lower profile` }
		},
	},
	{
		rule: 3,
		section: '1.11',
		level: 'SHOULD',
		text: 'The level is no higher than size, frame rate and bit rate require.',
		*find(p) {
			for (const stream of listPictureStreams(p)) {
				const track = findTrack(stream, 'video')
				const codec = readCodecName(track?.codec ?? '')
				const frameSec = computeFrameDurationSec(stream)
				if (!track || codec.family !== 'h264' || codec.level === null || frameSec === 0) continue
				const needed = computeNeededLevel(track.width, track.height, 1 / frameSec, measurePeak(stream))
				if (codec.level > needed)
					yield { where: stream.name, message: `level ${codec.level / 10}, but ${needed / 10} is enough` }
			}
		},
	},
	{
		rule: 4,
		section: '1.10',
		level: 'SHOULD',
		text: 'Parameter sets are in the init segment: avc1 and hvc1, not avc3 and hev1.',
		*find(p) {
			for (const { codec, where } of picturesOf(p))
				if (codec.format === 'avc3' || codec.format === 'hev1')
					yield { where, message: `${codec.name} has its parameter sets in samples` }
		},
	},
	{
		rule: 5,
		section: '1.12',
		level: 'MUST',
		text: 'Some variants are H.264.',
		*find(p) {
			const pictures = [...picturesOf(p)]
			if (pictures.length > 0 && !pictures.some(({ codec }) => codec.family === 'h264'))
				yield { where: p.name, message: 'no variant is H.264' }
		},
	},
	{
		rule: 5,
		section: '1.24',
		level: 'MUST',
		text: 'Some variants are SDR.',
		*find(p) {
			const ranges = listVariants(p).map(({ listed }) => listed.attributes.get('VIDEO-RANGE') ?? 'SDR')
			if (ranges.length > 0 && !ranges.includes('SDR')) yield { where: p.name, message: 'no variant is SDR' }
		},
	},
	{
		rule: 6,
		section: '1.13',
		level: 'SHOULD',
		text: 'There is a key frame every two seconds.',
		remark:
			'Segments of four seconds with one key frame look better at the same bit rate, and players seek by segment.',
		*find(p) {
			for (const stream of listPictureStreams(p)) {
				const keys = listFragments(stream, 'video').flatMap(({ fragment }) => fragment.keys)
				const gap = Math.max(0, ...keys.slice(1).map((key, k) => key - (keys[k] ?? key)))
				if (gap > 2.05) yield { where: stream.name, message: `up to ${gap.toFixed(1)} s without a key frame` }
			}
		},
	},
	{
		rule: 6,
		section: '7.4',
		level: 'MUST',
		text: 'Each video segment begins with an IDR frame.',
		*find(p) {
			for (const stream of listPictureStreams(p))
				for (const { fragment, where } of listFragments(stream, 'video'))
					if (!fragment.startsWithKey) yield { where, message: 'does not begin with an IDR frame' }
		},
	},
]
