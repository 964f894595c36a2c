import type { TaskSpec, TaskSpecOf } from '#schema/contract/tasks.ts'

/** As long as the picture; without one, as the longest track. */
export const soundSecondsOf = ({ durationSec, tracks }: TaskSpecOf<'audio'>): number =>
	durationSec ?? Math.max(...tracks.map(({ source }) => source.durationSec))

/** How much video or sound a task goes through; null for those that are not measured by it. */
export function mediaSecondsOf(spec: TaskSpec): number | null {
	switch (spec.kind) {
		case 'video': {
			if (spec.frames !== null) return (spec.frames * spec.fps.den) / spec.fps.num
			return Math.max(0, spec.video.durationSec - (spec.firstFrame * spec.fps.den) / spec.fps.num)
		}
		case 'remux':
			return spec.video.durationSec
		case 'audio':
			return soundSecondsOf(spec)
		case 'stills':
			return spec.durationSec
		case 'fetch':
		case 'inspect':
		case 'download':
			return null
	}
}
