import type { Rational } from '#schema/contract/media-info.ts'
import { initName, segmentName, type TaskSpec } from '#schema/contract/tasks.ts'
import { soundSecondsOf } from './media-seconds.ts'

/** Addresses that were asked for and are not used cost nothing; one round trip for each segment would. */
export function expectedNames(spec: TaskSpec): string[] {
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
			return streamNames(ids, 0, countSegments(soundSecondsOf(spec), spec.segment))
		}
		case 'stills': {
			const { storyboard } = spec
			const tiles = storyboard ? Math.ceil(storyboard.frames / storyboard.everyFrames) : 0
			const sheets = storyboard ? Math.ceil(tiles / storyboard.tilesPerSheet) : 0
			return ['poster.jpg', 'preview.webp', ...count(sheets).map((n) => `sheets/${n}.jpg`)]
		}
		case 'fetch':
		case 'inspect':
		case 'download':
			return []
	}
}

/** In the order in which they are made: all streams side by side. */
const streamNames = (ids: readonly string[], first: number, segments: number): string[] => [
	...ids.map(initName),
	...count(segments).flatMap((n) => ids.map((id) => segmentName(id, first + n))),
]

const countSegments = (seconds: number, { num, den }: Rational) =>
	Math.min(100_000, Math.max(1, Math.ceil((seconds * den) / num)))

const count = (length: number) => Array.from({ length }, (_, n) => n)
