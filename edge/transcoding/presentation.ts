import type { TaskResult } from '#schema/contract/tasks.ts'
import type { Plan } from './plan.ts'

/** What a completed task left, in the media bucket, under the folder of its job. */
export type TaskOutput = {
	/** `<task>-<epoch>`, relative to the playlists. */
	folder: string
	/** Among those of its kind. */
	index: number
	result: TaskResult
}

export type Presentation = {
	/** Playlists and tracks of pictures; all but the master never change once they are written. */
	files: { name: string; contentType: string; text: string }[]
	master: string
	/** As the asset shows them: one for each rung that is complete. */
	renditions: {
		rungId: string
		quality: string
		width: number
		height: number
		bitrateKbps: number
		codec: string
	}[]
	isComplete: boolean
}

/** From the rungs and tracks of which every segment is there; null while nothing can be played. */
export type WritePresentation = (plan: Plan, outputs: readonly TaskOutput[]) => Presentation | null
