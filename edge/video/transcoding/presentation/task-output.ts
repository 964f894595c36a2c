import type { TaskResult } from '#schema/contract/video/tasks.ts'

/** The output of a completed task in the media bucket. */
export type TaskOutput = {
	/** `<task>-<epoch>`, relative to the folder of the playlists. */
	folder: string
	/** Index among the tasks of its kind. */
	index: number
	result: TaskResult
}
