import type { TaskSpec } from '#schema/contract/video/tasks.ts'

/** Returns what a task requires of a machine: its kind, and the encoders of its rungs. */
export function laneOf(spec: TaskSpec): string {
	const encoders = spec.kind === 'video' ? spec.rungs.map(({ encoder }) => encoder) : []
	return JSON.stringify([spec.kind, ...new Set(encoders.toSorted())])
}

/** Tasks of an organization that need the same encoders. */
export type Lane = { orgId: string; lane: string; encoders: readonly string[] }

export const laneOfRow = ({ orgId, lane }: { orgId: string; lane: string }): Lane => {
	const [, ...encoders]: string[] = JSON.parse(lane)
	return { orgId, lane, encoders }
}
