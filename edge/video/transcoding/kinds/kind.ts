import type { SQL } from 'drizzle-orm'
import type { TaskKind, TaskResultByKind, TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { FailedTask, FailingJob } from '../jobs/failing.ts'
import type { TaskRow } from '../store/task-row.ts'
import type { FoundTask } from '../store/task-store.ts'

export type Failing = FailedTask & FailingJob

/** How tasks of a kind end. */
export type Outcomes<K extends TaskKind> = {
	/** Completes a task with a checked result. Returns whether it was still leased, and whether its job is due. */
	accept(
		deps: Deps,
		found: FoundTask,
		spec: TaskSpecByKind<K>,
		result: TaskResultByKind<K>,
	): Promise<{ isDone: boolean; isJobDue: boolean }>
	/** Fails a task permanently, with a message for the owner of the video. */
	fail(deps: Deps, failing: Failing, message: string): Promise<unknown>
}

export type Kind<K extends TaskKind> = Outcomes<K> & {
	/** Adds presigned URLs of the task's other inputs for the machine that claimed it. */
	withUrls?(
		deps: Deps,
		task: TaskRow,
		spec: TaskSpecByKind<K>,
		expiresSeconds: number,
	): Promise<TaskSpecByKind<K>>
}

/** Returns the SQL condition under which a completed task advances its job. */
export type DueCondition<K extends TaskKind> = (
	found: FoundTask,
	spec: TaskSpecByKind<K>,
	result: TaskResultByKind<K>,
) => SQL
