import type { TaskKind } from '#schema/contract/tasks.ts'

/**
 * Beside the videos. What else there is to do takes a core at most, or waits for disk and network; so nobody's video
 * waits for it, and it fills what an encoder leaves at the beginning and the end of its chunk.
 */
const OTHERS_BESIDE = 1
/** From here on an encoder takes in nothing more and has less and less to do: the next chunk may begin. */
export const NEARLY_DONE = 0.85

/** What a machine has room for, that encodes so many chunks of video at once. */
export function kindsWanted(
	known: readonly TaskKind[],
	running: readonly { kind: TaskKind; progress: number }[],
	slots: number,
): TaskKind[] {
	const videos = running.filter(({ kind }) => kind === 'video')
	const ending = videos.some(({ progress }) => progress >= NEARLY_DONE) ? 1 : 0
	if (running.length >= slots + OTHERS_BESIDE + ending) return []
	return known.filter((kind) => kind !== 'video' || videos.length < slots + ending)
}
