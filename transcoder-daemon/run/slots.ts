import type { TaskKind } from '#schema/contract/video/tasks.ts'

/**
 * Other tasks use one core at most, or wait for disk and network. One of them delays no video chunk, and fills the idle
 * time at the beginning and end of a chunk. Clips are encoded too, but they are short, and somebody waits for one.
 */
const EXTRA_TASKS = 1
/** From this progress on, an encoder only flushes its queue, so the next chunk may start. */
export const NEARLY_DONE = 0.85

/** Returns the kinds of tasks to claim, for a machine that encodes `slots` video chunks at once. */
export function listClaimableKinds(
	supported: readonly TaskKind[],
	running: readonly { kind: TaskKind; progress: number }[],
	slots: number,
): TaskKind[] {
	// Recognition is slow and nothing waits for it: one runs in parallel if there is capacity for more.
	const isHearing = running.some(({ kind }) => kind === 'transcribe')
	const others = running.filter(({ kind }) => kind !== 'transcribe')
	const videos = running.filter(({ kind }) => kind === 'video')
	const nearlyDone = videos.some(({ progress }) => progress >= NEARLY_DONE) ? 1 : 0
	if (others.length >= slots + EXTRA_TASKS + nearlyDone) return []
	return supported.filter((kind) =>
		kind === 'transcribe' ? !isHearing : kind !== 'video' || videos.length < slots + nearlyDone,
	)
}
