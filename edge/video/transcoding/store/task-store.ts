import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { TaskResult, TaskSpec } from '#schema/contract/video/tasks.ts'
import { assets } from '#schema/tables/video/assets.ts'
import { jobs, taskFailures, tasks } from '#schema/tables/video/transcoding.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'
import { PROVIDER_LANE } from '../plan/lanes.ts'
import type { TaskRow } from './task-row.ts'
import { isInTier } from './tier-condition.ts'

export type FailureReason = (typeof taskFailures.$inferSelect)['reason']

export type NewTask = Pick<
	TaskRow,
	'id' | 'kind' | 'position' | 'rank' | 'lane' | 'sourceId' | 'deadlineSec' | 'weight'
> & {
	spec: TaskSpec
}

/** A task with its job and asset. */
export type FoundTask = NonNullable<Awaited<ReturnType<ReturnType<typeof taskStore>['find']>>>

/** The message of an attempt whose lease expired. */
export const STOPPED_RESPONDING = 'the machine stopped responding'

/** D1 limits a value to 2 MB, and a character has up to 3 bytes. */
const PIECE_CHARS = 400_000

/** An unfinished multipart upload. R2 can't list them, so whoever deletes the row must abort the upload. */
export const pendingUpload = { uploadKey: tasks.uploadKey, uploadId: tasks.uploadId }
export type PendingUpload = Pick<TaskRow, keyof typeof pendingUpload>

const isLeased = (id: string, epoch: number) =>
	and(eq(tasks.id, id), eq(tasks.epoch, epoch), eq(tasks.state, 'running'))

/** Column values that requeue a task under a new epoch, without charging an attempt. */
export const requeueColumns = (now: number) => ({
	state: 'queued' as const,
	epoch: sql`${tasks.epoch} + 1`,
	machineId: null,
	deadlineAt: null,
	dueAt: now,
	progress: 0,
	attempts: sql`${tasks.attempts} - 1`,
})

export const taskStore = (db: Db) => ({
	/** Returns a task with its job and asset. None of the three exists without the others. */
	async find(id: string) {
		const [row] = await db
			.select({
				task: tasks,
				job: {
					id: jobs.id,
					status: jobs.status,
					playback: jobs.playback,
					durationSec: jobs.durationSec,
					traceId: jobs.traceId,
				},
				asset: {
					id: assets.id,
					orgId: assets.orgId,
					playbackId: assets.playbackId,
					title: assets.title,
					sourceKey: assets.sourceKey,
					sourceEtag: assets.sourceEtag,
					sourceSizeBytes: assets.sourceSizeBytes,
				},
			})
			.from(tasks)
			.innerJoin(jobs, eq(jobs.id, tasks.jobId))
			.innerJoin(assets, eq(assets.id, tasks.assetId))
			.where(eq(tasks.id, id))
		return row
	},

	async listByJob(jobId: string): Promise<TaskRow[]> {
		return db.select().from(tasks).where(eq(tasks.jobId, jobId))
	},

	/**
	 * Inserts tasks in several statements, each with `condition`. Existing tasks (unique by job, kind and position) stay
	 * unchanged.
	 */
	insertStatements(
		job: { id: string; assetId: string; orgId: string },
		newTasks: readonly NewTask[],
		now: number,
		condition: SQL,
	) {
		return inPieces(newTasks).map((piece) =>
			insertSelect(
				db,
				tasks,
				{
					id: sql`given.value ->> 'id'`,
					jobId: job.id,
					assetId: job.assetId,
					orgId: job.orgId,
					kind: sql`given.value ->> 'kind'`,
					position: sql`given.value ->> 'position'`,
					rank: sql`given.value ->> 'rank'`,
					lane: sql`given.value ->> 'lane'`,
					sourceId: sql`given.value ->> 'sourceId'`,
					state: 'queued',
					dueAt: now,
					deadlineSec: sql`given.value ->> 'deadlineSec'`,
					spec: sql`given.value -> 'spec'`,
					weight: sql`given.value ->> 'weight'`,
					createdAt: now,
				},
				sql`from json_each(${piece}) as given where ${condition}`,
			).onConflictDoNothing(),
		)
	},

	async renew(id: string, epoch: number, machineId: string, progress: number, now: number, until: number) {
		const rows = await db
			.update(tasks)
			.set({ dueAt: until, progress })
			.where(and(isLeased(id, epoch), eq(tasks.machineId, machineId), sql`${tasks.deadlineAt} > ${now}`))
			.returning({ id: tasks.id })
		return rows.length === 1
	},

	/** Replaces the upload only if it is still the one in `task`. */
	async storeUpload(task: TaskRow, upload: { key: string; uploadId: string } | null): Promise<boolean> {
		const rows = await db
			.update(tasks)
			.set({ uploadKey: upload?.key ?? null, uploadId: upload?.uploadId ?? null })
			.where(and(eq(tasks.id, task.id), sql`${tasks.uploadId} is ${task.uploadId}`))
			.returning({ id: tasks.id })
		return rows.length === 1
	},

	finishStatement(id: string, epoch: number, result: TaskResult, now: number) {
		return db
			.update(tasks)
			.set({
				state: 'done',
				result,
				progress: 1,
				workSec: result.workSec,
				mediaSec: result.mediaSec,
				uploadKey: null,
				uploadId: null,
				endedAt: now,
			})
			.where(isLeased(id, epoch))
			.returning({ id: tasks.id })
	},

	/**
	 * Requeues a task. A `released` task is not charged an attempt; an `expired` lease counts as an expiry as well.
	 */
	requeueStatement(
		id: string,
		epoch: number,
		dueAt: number,
		how: 'failed' | 'expired' | 'released',
		condition?: SQL,
	) {
		return db
			.update(tasks)
			.set({
				state: 'queued',
				machineId: null,
				deadlineAt: null,
				dueAt,
				progress: 0,
				...(how === 'released' && { attempts: sql`${tasks.attempts} - 1` }),
				...(how === 'expired' && { expiries: sql`${tasks.expiries} + 1` }),
			})
			.where(and(isLeased(id, epoch), condition))
			.returning({ id: tasks.id })
	},

	/**
	 * Requeues the tasks of evicted machines without charging an attempt. Raises the epoch immediately, so that later
	 * calls and outputs of these machines are rejected.
	 */
	requeueByMachinesStatement(machines: SQL, now: number) {
		return (
			db
				.update(tasks)
				.set(requeueColumns(now))
				// Matches the condition of the index `tasks_machine`.
				.where(sql`${tasks.state} = 'running' and ${tasks.machineId} in (${machines})`)
				.returning()
		)
	},

	/**
	 * Requeues the running tasks of a fully suspended organization, like those of evicted machines. Provider calls
	 * continue, because they are paid. Returns the unfinished multipart uploads.
	 */
	requeueSuspendedStatement(orgId: string, now: number) {
		const isSuspended = sql`
			exists (select 1 from orgs where orgs.id = ${orgId} and orgs.suspended_at is not null)
		`
		return (
			db
				.update(tasks)
				.set(requeueColumns(now))
				// Matches the condition of the index `tasks_running`.
				.where(
					sql`
						${tasks.state} = 'running'
						and ${tasks.orgId} = ${orgId}
						and ${tasks.lane} <> ${PROVIDER_LANE}
						and ${isSuspended}
					`,
				)
				.returning(pendingUpload)
		)
	},

	/** Fails a task permanently. Returns its unfinished multipart upload. */
	failStatement(id: string, epoch: number, now: number, condition?: SQL) {
		return db
			.update(tasks)
			.set({ state: 'failed', endedAt: now })
			.where(and(isLeased(id, epoch), condition))
			.returning(pendingUpload)
	},

	/** Cancels the open tasks of a job. Returns their unfinished multipart uploads. */
	cancelOpenStatement(jobId: string, now: number, condition: SQL) {
		return db
			.update(tasks)
			.set({ state: 'cancelled', endedAt: now })
			.where(and(eq(tasks.jobId, jobId), inArray(tasks.state, ['queued', 'running']), condition))
			.returning(pendingUpload)
	},

	/** Cancels every task of a codec, including finished ones. */
	cancelTierStatement(jobId: string, rank: number, now: number, condition: SQL) {
		return db
			.update(tasks)
			.set({ state: 'cancelled', endedAt: now })
			.where(
				and(
					eq(tasks.jobId, jobId),
					isInTier('tasks', rank),
					inArray(tasks.state, ['queued', 'running', 'done']),
					condition,
				),
			)
	},

	recordFailureStatement(
		task: Pick<TaskRow, 'id' | 'epoch' | 'jobId' | 'assetId' | 'orgId' | 'machineId' | 'kind' | 'startedAt'>,
		failure: { reason: FailureReason; message: string; log: string | null },
		now: number,
		condition: SQL,
	) {
		const { id, epoch, jobId, assetId, orgId, machineId, kind, startedAt } = task
		return insertSelect(
			db,
			taskFailures,
			{
				taskId: id,
				epoch,
				jobId,
				assetId,
				orgId,
				machineId,
				kind,
				reason: failure.reason,
				message: failure.message,
				log: failure.log,
				startedAt,
				createdAt: now,
			},
			sql`where ${condition}`,
		).onConflictDoNothing()
	},

	/**
	 * Records the lease that this claim took over, unless its expiry is already recorded. The previous machine is no
	 * longer known.
	 */
	recordTakeoverStatement(claimed: TaskRow, now: number) {
		const isMissing = sql`
			(
				select count(*) from task_failures as recorded
				where recorded.task_id = ${claimed.id} and recorded.reason = 'expired'
			) < ${claimed.expiries}
		`
		const lost = { ...claimed, epoch: claimed.epoch - 1, machineId: null, startedAt: null }
		const note = { reason: 'expired' as const, message: STOPPED_RESPONDING, log: null }
		return this.recordFailureStatement(lost, note, now, isMissing).returning({ taskId: taskFailures.taskId })
	},

	/**
	 * Changes the specs of tasks, unless they changed state or epoch since the decision. Finished tasks run again.
	 */
	respecifyStatements(
		changes: readonly {
			id: string
			epoch: number
			state: TaskRow['state']
			lane: string
			spec: TaskSpec
		}[],
		now: number,
	) {
		return inPieces(changes).map((piece) =>
			db
				.update(tasks)
				.set({
					spec: sql`change.value -> 'spec'`,
					lane: sql`change.value ->> 'lane'`,
					redone: sql`${tasks.redone} + (${tasks.state} = 'done')`,
					attempts: sql`case ${tasks.state} when 'done' then 0 else ${tasks.attempts} end`,
					dueAt: sql`case ${tasks.state} when 'done' then ${now} else ${tasks.dueAt} end`,
					progress: sql`case ${tasks.state} when 'done' then 0 else ${tasks.progress} end`,
					result: sql`case ${tasks.state} when 'done' then null else ${tasks.result} end`,
					endedAt: sql`case ${tasks.state} when 'done' then null else ${tasks.endedAt} end`,
					state: sql`case ${tasks.state} when 'done' then 'queued' else ${tasks.state} end`,
				})
				.from(sql`json_each(${piece}) as change`)
				.where(
					sql`
						${tasks.id} = change.value ->> 'id'
						and ${tasks.epoch} = change.value ->> 'epoch'
						and ${tasks.state} = change.value ->> 'state'
					`,
				)
				.returning({ id: tasks.id }),
		)
	},
})

function inPieces(items: readonly object[]): string[] {
	const pieces: string[][] = []
	let size = Number.POSITIVE_INFINITY
	for (const item of items) {
		const text = JSON.stringify(item)
		size += text.length
		if (size > PIECE_CHARS) {
			pieces.push([])
			size = text.length
		}
		pieces.at(-1)?.push(text)
	}
	return pieces.map((piece) => `[${piece.join(',')}]`)
}

/** SQL condition: the task has failed permanently, even if the failure is reported again. */
export const hasFailed = ({ id, epoch }: Pick<TaskRow, 'id' | 'epoch'>): SQL =>
	sql`exists (
		select 1 from tasks as blamed
		where blamed.id = ${id} and blamed.epoch = ${epoch} and blamed.state = 'failed'
	)`

export const hasFinished = ({ id, epoch }: Pick<TaskRow, 'id' | 'epoch'>): SQL =>
	sql`
		exists (
			select 1 from tasks as done where done.id = ${id} and done.epoch = ${epoch} and done.state = 'done'
		)
	`
