import type { TaskSpec, TaskSpecByKind } from '#schema/contract/video/tasks.ts'

/** Returns the length of the video, or of the longest track if there is no video. */
export const sumSoundSeconds = ({ durationSec, tracks }: TaskSpecByKind<'audio'>): number =>
	durationSec ?? Math.max(...tracks.map(({ source }) => source.durationSec))

/** Returns how many seconds of media a task processes; null for tasks not measured that way. */
export function sumMediaSeconds(spec: TaskSpec): number | null {
	switch (spec.kind) {
		case 'video': {
			if (spec.frames !== null) return (spec.frames * spec.fps.den) / spec.fps.num
			return Math.max(0, spec.video.durationSec - (spec.firstFrame * spec.fps.den) / spec.fps.num)
		}
		case 'clip':
			return (spec.frames * spec.fps.den) / spec.fps.num
		case 'remux':
			return spec.video.durationSec
		case 'audio':
			return sumSoundSeconds(spec)
		case 'stills':
		case 'speech-plan':
		case 'transcribe':
			return spec.durationSec
		case 'poster':
		case 'fetch':
		case 'inspect':
		case 'download':
			return null
	}
}
