import type { Check } from './check.ts'

export const syntaxChecks: Check[] = [
	{
		rule: 0,
		section: 'RFC 8216',
		level: 'MUST',
		text: 'Playlists are written as RFC 8216 says.',
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
		text: 'All that playlists name can be fetched.',
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
		text: 'Every fMP4 segment is whole, and holds fragments of the tracks its header names.',
		*find({ streams }) {
			for (const { name, role, segments } of streams)
				for (const { listed, media, init } of segments) {
					// What trick play fetches ends where the frame does.
					if (role === 'iframes' || media?.format !== 'mp4') continue
					const where = `${name}:${listed.line}`
					if (!media.isWhole) yield { where, message: 'is cut off' }
					if (init && media.fragments.length === 0) yield { where, message: 'no fragment of a known track' }
				}
		},
	},
]
