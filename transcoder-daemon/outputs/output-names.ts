import type { Rational } from '#schema/contract/video/media-info.ts'
import { formatInitName, formatSegmentName, type TaskSpec } from '#schema/contract/video/tasks.ts'
import { sumSoundSeconds } from '../run/media-seconds.ts'

/** Returns the names of a task's outputs. Unused addresses cost nothing; a round trip per segment would. */
export function listExpectedNames(spec: TaskSpec): string[] {
	switch (spec.kind) {
		case 'remux':
			return streamNames([spec.rung], 0, spec.cuts.length)
		case 'video': {
			const rungs = spec.rungs.map(({ id }) => id)
			const names = streamNames(rungs, spec.firstSegment, spec.cuts.length)
			return spec.storyboard ? [...names, 'sheet.jpg'] : names
		}
		case 'audio': {
			const ids = spec.filesOnly ? [] : spec.tracks.map(({ id }) => id)
			return streamNames(ids, 0, countSegments(sumSoundSeconds(spec), spec.segment))
		}
		case 'stills': {
			const { storyboard } = spec
			const tiles = storyboard ? Math.ceil(storyboard.frames / storyboard.everyFrames) : 0
			const sheets = storyboard ? Math.ceil(tiles / storyboard.tilesPerSheet) : 0
			return ['poster.jpg', 'preview.webp', ...count(sheets).map((n) => `sheets/${n}.jpg`)]
		}
		case 'speech-plan':
			return count(Math.ceil(spec.durationSec / spec.chunkSec.min) + 1).map((n) => `chunk-${n}.flac`)
		case 'clip':
			return spec.rung ? ['clip.mp4', 'poster.jpg'] : ['clip.mp4']
		case 'poster':
			return ['poster.jpg']
		case 'fetch':
		case 'inspect':
		case 'download':
		case 'transcribe':
			return []
	}
}

/** Interleaves the segments of all streams, in the order in which they are produced. */
const streamNames = (ids: readonly string[], first: number, segments: number): string[] => [
	...ids.map(formatInitName),
	...count(segments).flatMap((n) => ids.map((id) => formatSegmentName(id, first + n))),
]

const countSegments = (seconds: number, { num, den }: Rational) =>
	Math.min(100_000, Math.max(1, Math.ceil((seconds * den) / num)))

const count = (length: number) => Array.from({ length }, (_, n) => n)
