import type { Check } from './check.ts'

export const syntaxChecks: Check[] = [
	{
		rule: 0,
		section: 'RFC 8216',
		level: 'MUST',
		text: 'Playlists conform to RFC 8216.',
		*find({ name, master, streams }) {
			for (const problem of master?.problems ?? [])
				yield { where: `${name}:${problem.line}`, message: problem.message }
			for (const stream of streams)
				for (const problem of stream.playlist.problems)
					yield { where: `${stream.name}:${problem.line}`, message: problem.message }
		},
	},
	{
		rule: 0,
		section: 'RFC 8216 reach',
		level: 'MUST',
		text: 'Every file in the playlists can be fetched.',
		find: ({ unreachable }) => unreachable,
	},
	{
		rule: 0,
		section: 'RFC 8216 4.3.3.1',
		level: 'MUST',
		text: 'No segment, rounded to whole seconds, is longer than the target duration.',
		*find({ streams }) {
			for (const { name, playlist } of streams)
				for (const { line, duration } of playlist.segments)
					if (playlist.targetDuration !== null && Math.round(duration) > playlist.targetDuration)
						yield {
							where: `${name}:${line}`,
							message: `${duration} s with a target of ${playlist.targetDuration} s`,
						}
		},
	},
	{
		rule: 0,
		section: 'ISO 14496-12',
		level: 'MUST',
		text: 'Every fMP4 segment is complete and contains fragments of the tracks in its init segment.',
		*find({ streams }) {
			for (const { name, role, segments } of streams)
				for (const { listed, media, init } of segments) {
					// Byte ranges of I-frame playlists end with the frame, so they are not complete segments.
					if (role === 'iframes' || media?.format !== 'mp4') continue
					const where = `${name}:${listed.line}`
					if (!media.isWhole) yield { where, message: 'is truncated' }
					if (init && media.fragments.length === 0)
						yield { where, message: 'has no fragment of a track in its init segment' }
				}
		},
	},
]
