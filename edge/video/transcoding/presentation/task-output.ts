import type { TaskResult } from '#schema/contract/video/tasks.ts'

/** The output of a completed task in the media bucket. */
export type TaskOutput = {
	/** The folder `<task>-<epoch>`, relative to the playlists. */
	folder: string
	/** Index among the tasks of its kind. */
	index: number
	result: TaskResult
}
