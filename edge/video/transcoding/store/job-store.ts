import { and, desc, eq, gt, isNull, type SQL, sql } from 'drizzle-orm'
import type { TaskKind } from '#schema/contract/video/tasks.ts'
import type { JobPlan } from '#schema/tables/video/job-plan.ts'
import { jobs, tasks } from '#schema/tables/video/transcoding.ts'
import { MINUTE } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'
import type { IsAssetBusy } from '../../../platform/deps.ts'
import type { AdditionalCodec } from '../plan/ranks.ts'
import { sumEncodedMs } from './encoded-minutes.ts'
import { purgeJobsStatement } from './output-purges.ts'
import { pendingUpload } from './task-store.ts'
import { isInTier, isOfJob } from './tier-condition.ts'

export type JobRow = typeof jobs.$inferSelect
export type PlannedJob = JobRow & { plan: JobPlan }

export const isPlanned = (job: JobRow): job is PlannedJob => job.plan !== null

const unfinished: readonly JobRow['status'][] = ['queued', 'processing']

export const isUnfinishedJob = ({ status }: Pick<JobRow, 'status'>): boolean => unfinished.includes(status)

type NewJob = Pick<
	JobRow,
	'id' | 'assetId' | 'orgId' | 'playbackId' | 'playback' | 'aiOptions' | 'requestedOptions' | 'traceId'
>

const kindOfMachine = (machineId: string): SQL =>
	sql`(select machines.capabilities ->> '$.kind' from machines where machines.id = ${machineId})`

export const jobStore = (db: Db) => ({
	/** Inserts if the previous statement changed a row. A unique index rejects a second unfinished job. */
	insertIfChangedStatement(job: NewJob, now: number) {
		const { id, assetId, orgId, playbackId, playback, aiOptions, requestedOptions, traceId } = job
		return insertSelect(
			db,
			jobs,
			{
				id,
				assetId,
				orgId,
				playbackId,
				status: 'queued',
				playback,
				aiOptions,
				requestedOptions,
				traceId,
				createdAt: now,
				updatedAt: now,
			},
			sql`where changes() > 0`,
		).returning({ id: jobs.id })
	},

	/** Marks the job as started by its first claim. */
	startStatement(jobId: string, machineId: string, now: number) {
		return db
			.update(jobs)
			.set({ status: 'processing', startedAt: now, workerKind: kindOfMachine(machineId), updatedAt: now })
			.where(and(eq(jobs.id, jobId), eq(jobs.status, 'queued')))
			.returning({ id: jobs.id })
	},

	/** Starts an advance run by raising the version. Later runs see at least the state that this run sees. */
	async beginRun(id: string): Promise<JobRow | undefined> {
		const [row] = await db
			.update(jobs)
			.set({ version: sql`${jobs.version} + 1` })
			.where(eq(jobs.id, id))
			.returning()
		return row
	},

	/** Clears `advance_at` unless something was reported since the run began. */
	async endRun({ id, advanceAt, version }: JobRow): Promise<void> {
		if (advanceAt === null) return
		await db
			.update(jobs)
			.set({ advanceAt: null })
			.where(and(eq(jobs.id, id), eq(jobs.advanceAt, advanceAt), eq(jobs.version, version)))
	},

	/** Follows the completion of a task in its batch. If `isDue` holds, the job must advance. */
	recordWorkIfChangedStatement(
		id: string,
		by: { machineId: string | null; hwAccelUsed: boolean },
		isDue: SQL,
		now: number,
	) {
		return db
			.update(jobs)
			.set({
				// Two reports in one millisecond must differ, or the run for the first could clear the second.
				advanceAt: sql`
					case when ${isDue} then max(${now}, coalesce(${jobs.advanceAt} + 1, 0)) else ${jobs.advanceAt} end
				`,
				workerKind: kindOfMachine(by.machineId ?? ''),
				hwAccelUsed: sql`${jobs.hwAccelUsed} or ${by.hwAccelUsed ? 1 : 0}`,
				updatedAt: now,
			})
			.where(and(eq(jobs.id, id), sql`changes() > 0`))
			.returning({ isDue: sql<number>`${jobs.advanceAt} is not null` })
	},

	/** Stores the plan, unless the organization would exceed its encode minutes of the month. */
	planStatement(
		{ id, orgId, version }: JobRow,
		planned: Pick<JobRow, 'info' | 'plan' | 'encoders'> & { durationSec: number },
		now: number,
		minutesAllowed: number | null,
	) {
		const isAllowed =
			minutesAllowed === null
				? undefined
				: sql`${sumEncodedMs(orgId, now)} + ${planned.durationSec * 1_000} <= ${minutesAllowed * MINUTE}`
		return db
			.update(jobs)
			.set({ ...planned, plannedAt: now, updatedAt: now })
			.where(
				and(eq(jobs.id, id), isUnfinished, isNull(jobs.plan), sql`${jobs.version} >= ${version}`, isAllowed),
			)
			.returning({ id: jobs.id })
	},

	/** Changes the encoders of the given rungs. */
	repinStatement(id: string, encoders: Record<string, string>, now: number) {
		return db
			.update(jobs)
			.set({
				encoders: sql`json_patch(coalesce(${jobs.encoders}, '{}'), ${JSON.stringify(encoders)})`,
				updatedAt: now,
			})
			.where(and(eq(jobs.id, id), isUnfinished))
			.returning({ id: jobs.id })
	},

	/** Publishes the output of this run. An older run never replaces a newer one. */
	publishStatement({ id, version }: JobRow, onlyDownloadsLeft: boolean, now: number) {
		return db
			.update(jobs)
			.set({
				publishedVersion: version,
				updatedAt: now,
				...(onlyDownloadsLeft && { status: 'completed', endedAt: now }),
			})
			.where(
				and(
					eq(jobs.id, id),
					eq(jobs.status, 'processing'),
					sql`${jobs.publishedVersion} < ${version}`,
					onlyDownloadsLeft ? sql`not ${hasOpenTasks(id)}` : undefined,
				),
			)
			.returning({ id: jobs.id })
	},

	/** Records that all renditions required for playback are published. Idempotent. */
	markAllPublishedStatement({ id, version }: JobRow, now: number) {
		return db
			.update(jobs)
			.set({ allPublishedAt: now })
			.where(and(eq(jobs.id, id), eq(jobs.publishedVersion, version), isNull(jobs.allPublishedAt)))
	},

	/** Omits a planned codec and makes the job due. */
	omitCodecStatement(id: string, codec: AdditionalCodec, reason: string, now: number, condition?: SQL) {
		return db
			.update(jobs)
			.set({
				leftOut: sql`json_set(coalesce(${jobs.leftOut}, '{}'), ${`$.${codec}`}, ${reason})`,
				advanceAt: sql`max(${now}, coalesce(${jobs.advanceAt} + 1, 0))`,
				updatedAt: now,
			})
			.where(and(eq(jobs.id, id), isUnfinished, sql`${jobs.leftOut} ->> ${`$.${codec}`} is null`, condition))
			.returning({ id: jobs.id })
	},

	failStatement(id: string, error: string, now: number, condition?: SQL) {
		return db
			.update(jobs)
			.set({ status: 'failed', error, endedAt: now, advanceAt: null, updatedAt: now })
			.where(and(eq(jobs.id, id), isUnfinished, condition))
			.returning({ id: jobs.id })
	},

	/** Deletes the tasks of earlier jobs of the asset. Returns their unfinished multipart uploads. */
	dropEarlierTasksStatement({ id, assetId }: JobRow, condition: SQL) {
		const earlier = sql`(select job.id from jobs as job where job.asset_id = ${assetId} and job.id <> ${id})`
		return db
			.delete(tasks)
			.where(and(sql`${tasks.jobId} in ${earlier}`, condition))
			.returning(pendingUpload)
	},

	/** Deletes earlier jobs of the asset and their outputs. Follows `dropEarlierTasksStatement` in the batch. */
	dropEarlierStatements({ id, assetId }: JobRow, now: number, condition: SQL) {
		return [
			purgeJobsStatement(db, sql`job.asset_id = ${assetId} and job.id <> ${id} and ${condition}`, now),
			db.delete(jobs).where(and(eq(jobs.assetId, assetId), sql`${jobs.id} <> ${id}`, condition)),
		]
	},

	async findUnfinished(assetId: string): Promise<Pick<JobRow, 'id'> | undefined> {
		const [row] = await db
			.select({ id: jobs.id })
			.from(jobs)
			.where(and(eq(jobs.assetId, assetId), isUnfinished))
		return row
	},

	/** Returns the newest published job of an asset, whose files it plays. */
	async findPublished(assetId: string): Promise<JobRow | undefined> {
		const [row] = await db
			.select()
			.from(jobs)
			.where(and(eq(jobs.assetId, assetId), gt(jobs.publishedVersion, 0)))
			.orderBy(desc(jobs.createdAt), desc(jobs.id))
			.limit(1)
		return row
	},

	async find(id: string): Promise<JobRow | undefined> {
		const [row] = await db.select().from(jobs).where(eq(jobs.id, id))
		return row
	},
})

/** Contains literals, since SQLite uses the partial indexes only for a query that includes their condition. */
export const isUnfinished = sql`
	${jobs.status} in (${sql.raw(unfinished.map((status) => `'${status}'`).join(', '))})
`

/** SQL condition: the job has not ended. */
export const isJobUnfinished = (jobId: string): SQL =>
	sql`exists (select 1 from ${jobs} where ${jobs.id} = ${jobId} and ${isUnfinished})`

export const hasOpenTasks = (jobId: string): SQL =>
	sql`exists (
		select 1 from tasks as open
		where open.job_id = ${jobId} and ${isOfJob('open')} and open.state in ('queued', 'running')
	)`

/** Returns a condition that the tier of a rank has open tasks. */
export const hasOpenInTier = (jobId: string, rank: number, kind?: TaskKind): SQL =>
	sql`exists (
		select 1 from tasks as open
		where open.job_id = ${jobId}
			and ${isInTier('open', rank)}
			and open.state in ('queued', 'running')${kind === undefined ? sql`` : sql` and open.kind = ${kind}`}
	)`

/** Returns a condition that holds after this run published, since no other run has its version. */
export const isPublishedBy = ({ id, version }: JobRow): SQL =>
	sql`exists (
		select 1 from jobs as published where published.id = ${id} and published.published_version = ${version}
	)`

/** SQL condition: the asset has an unfinished job. */
export const isTranscoding: IsAssetBusy = (assetId) =>
	sql`exists (select 1 from ${jobs} where ${jobs.assetId} = ${assetId} and ${isUnfinished})`
