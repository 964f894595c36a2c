import type { TaskKind } from '#schema/contract/video/tasks.ts'

/**
 * Other tasks use one core at most, or wait for disk and network. One of them delays no video chunk, and fills the idle
 * time at the beginning and end of a chunk. Clips are encoded too, but they are short, and somebody waits for one.
 */
const EXTRA_TASKS = 1
/** Progress from which an encoder only flushes its queue, with less and less to do: the next chunk may begin. */
export const NEARLY_DONE = 0.85

/** Returns the kinds of tasks to claim, for a machine that encodes `slots` video chunks at once. */
export function listClaimableKinds(
	supported: readonly TaskKind[],
	running: readonly { kind: TaskKind; progress: number }[],
	slots: number,
): TaskKind[] {
	// Recognition is slow and nothing waits for it: one runs beside everything else, where there is room for more.
	const isHearing = running.some(({ kind }) => kind === 'transcribe')
	const others = running.filter(({ kind }) => kind !== 'transcribe')
	const videos = running.filter(({ kind }) => kind === 'video')
	const nearlyDone = videos.some(({ progress }) => progress >= NEARLY_DONE) ? 1 : 0
	if (others.length >= slots + EXTRA_TASKS + nearlyDone) return []
	return supported.filter((kind) =>
		kind === 'transcribe' ? !isHearing : kind !== 'video' || videos.length < slots + nearlyDone,
	)
}
