import { pictureStreams, playedStreams, secondsOf, whereOf } from '../presentation.ts'
import { type Check, sec } from './check.ts'

const SUBTITLES = 'subtitles'

export const subtitleChecks: Check[] = [
	{
		rule: 16,
		section: '5.3',
		level: 'MUST',
		text: 'WebVTT segments have an X-TIMESTAMP-MAP.',
		*find(p) {
			for (const stream of p.streams.filter(({ role }) => role === SUBTITLES))
				for (const [index, { media }] of stream.segments.entries()) {
					const header = media?.text?.split(/\r?\n\r?\n/)[0]
					if (header !== undefined && !/^X-TIMESTAMP-MAP=\S*MPEGTS:\d+/m.test(header))
						yield { where: whereOf(stream, index), message: 'has no X-TIMESTAMP-MAP in its header' }
				}
		},
	},
	{
		rule: 16,
		section: '5.5',
		level: 'MUST',
		text: 'Subtitles cover the whole content.',
		*find(p) {
			const others = [...pictureStreams(p), ...playedStreams(p).filter(({ role }) => role === 'variant')]
			const whole = Math.max(0, ...others.map(secondsOf))
			for (const stream of p.streams.filter(({ role }) => role === SUBTITLES)) {
				const missing = whole - secondsOf(stream)
				if (missing > 1) yield { where: stream.name, message: `ends ${sec(missing)} too early` }
			}
		},
	},
]
