import { isSound, readCodecName, readCodecNames } from '../codec-name.ts'
import {
	findTrack,
	listPlayedStreams,
	listVariants,
	type Presentation,
	type Stream,
} from '../presentation.ts'
import { measureStreamAverage } from '../weight.ts'
import { type Check, formatKbps } from './check.ts'

const AAC_LC = 2
const heAac = [5, 29]

const soundStreams = (p: Presentation): Stream[] =>
	listPlayedStreams(p).filter((stream) => findTrack(stream, 'audio'))
const isAudioOnly = (stream: Stream): boolean => findTrack(stream, 'video') === undefined
const nameOf = (stream: Stream) => readCodecName(findTrack(stream, 'audio')?.codec ?? '')

const SPOKEN_DIALOG = 'public.accessibility.transcribes-spoken-dialog'
const MUSIC_AND_SOUND = 'public.accessibility.describes-music-and-sound'
const subtitleCharacteristics = [SPOKEN_DIALOG, MUSIC_AND_SOUND, 'public.easy-to-read']

export const soundChecks: Check[] = [
	{
		rule: 13,
		section: '2.3',
		level: 'MUST',
		text: 'If there is audio, there is stereo AAC.',
		*find(p) {
			const declared = listVariants(p).flatMap(({ listed }) =>
				readCodecNames(listed.attributes.get('CODECS')),
			)
			const streams = soundStreams(p)
			if (streams.length === 0 && !declared.some(isSound)) return
			const isStereoAac = (stream: Stream) =>
				nameOf(stream).family === 'aac' && findTrack(stream, 'audio')?.channels === 2
			// MPEG-TS is not parsed, so only the name in CODECS is known.
			const isDeclared = streams.length === 0 && declared.some(({ family }) => family === 'aac')
			if (!isDeclared && !streams.some(isStereoAac)) yield { where: p.name, message: 'has no stereo AAC' }
		},
	},
	{
		rule: 13,
		section: '2.4',
		level: 'SHOULD',
		text: 'HE-AAC is not used above 64 kb/s.',
		*find(p) {
			for (const stream of soundStreams(p).filter(isAudioOnly))
				if (heAac.includes(nameOf(stream).profile ?? 0) && measureStreamAverage(stream) > 64_000)
					yield { where: stream.name, message: `has ${formatKbps(measureStreamAverage(stream))}` }
		},
	},
	{
		rule: 13,
		section: '2.9',
		level: 'SHOULD',
		text: 'The bit rate of stereo AAC is 32 to 160 kb/s.',
		remark: 'Silence needs fewer bits, whatever the target bit rate is.',
		*find(p) {
			for (const stream of soundStreams(p).filter(isAudioOnly)) {
				const { family, profile } = nameOf(stream)
				const bps = measureStreamAverage(stream)
				const isStereo = findTrack(stream, 'audio')?.channels === 2
				if (family === 'aac' && profile === AAC_LC && isStereo && (bps < 32_000 || bps > 165_000))
					yield { where: stream.name, message: `has ${formatKbps(bps)}` }
			}
		},
	},
	{
		rule: 14,
		section: '2.17',
		level: 'MUST',
		text: 'A segment contains at most one audio track.',
		*find(p) {
			for (const stream of listPlayedStreams(p))
				for (const { tracks } of stream.inits)
					if (tracks.filter(({ kind }) => kind === 'audio').length > 1)
						yield { where: stream.name, message: 'its init segment has several audio tracks' }
		},
	},
	{
		rule: 14,
		section: '9.5',
		level: 'SHOULD',
		text: 'Video and audio are in separate streams.',
		*find(p) {
			for (const stream of soundStreams(p))
				if (!isAudioOnly(stream)) yield { where: stream.name, message: 'contains video and audio' }
		},
	},
	{
		rule: 15,
		section: '4.7',
		level: 'MUST',
		text: 'Each EXT-X-MEDIA of audio and subtitles has a LANGUAGE.',
		*find({ name, master }) {
			for (const { attributes, line } of master?.renditions ?? [])
				if (['AUDIO', 'SUBTITLES'].includes(attributes.get('TYPE') ?? '') && !attributes.get('LANGUAGE'))
					yield { where: `${name}:${line}`, message: `${attributes.get('NAME')} has no LANGUAGE` }
		},
	},
	{
		rule: 15,
		section: '4.6',
		level: 'MUST',
		text: 'Subtitles for the deaf and hard of hearing have both characteristics, and AUTOSELECT=YES.',
		*find({ name, master }) {
			for (const { attributes, line } of master?.renditions ?? []) {
				if (attributes.get('TYPE') !== 'SUBTITLES') continue
				const where = `${name}:${line}`
				const found = attributes.get('CHARACTERISTICS')?.split(',') ?? []
				for (const unknown of found.filter((each) => !subtitleCharacteristics.includes(each)))
					yield { where, message: `${unknown} is not a characteristic of subtitles` }
				// Subtitles of speech alone do not serve deaf viewers; marking them as spoken dialog is enough.
				if (found.includes(MUSIC_AND_SOUND) && !found.includes(SPOKEN_DIALOG))
					yield { where, message: `has ${MUSIC_AND_SOUND} without ${SPOKEN_DIALOG}` }
				if (found.length > 0 && attributes.get('AUTOSELECT') !== 'YES')
					yield { where, message: 'lacks AUTOSELECT=YES' }
			}
		},
	},
]
