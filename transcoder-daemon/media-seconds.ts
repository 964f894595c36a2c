import type { TaskSpec } from '#schema/contract/tasks.ts'

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
			return spec.durationSec ?? Math.max(...spec.tracks.map(({ source }) => source.durationSec))
		case 'stills':
			return spec.durationSec
		case 'fetch':
		case 'inspect':
		case 'download':
			return null
	}
}
