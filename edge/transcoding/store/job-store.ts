import { and, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import type { TaskKind } from '#schema/contract/video/tasks.ts'
import { usageCounters } from '#schema/tables/identity.ts'
import type { JobPlan } from '#schema/tables/job-plan.ts'
import { jobs, renditions, tasks } from '#schema/tables/transcoding.ts'
import { DAY, iso, MINUTE } from '../../platform/clock.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { recordPurgesStatement } from '../../platform/storage/storage-purge.ts'
import type { Presentation } from '../presentation/presentation.ts'
import { type AdditionalCodec, isInTier } from './ranks.ts'
import { pendingUpload } from './task-store.ts'

export type JobRow = typeof jobs.$inferSelect
export type PlannedJob = JobRow & { plan: JobPlan }

export const isPlanned = (job: JobRow): job is PlannedJob => job.plan !== null

export const unfinished = ['queued', 'processing'] as const

type NewJob = Pick<
	JobRow,
	'id' | 'assetId' | 'orgId' | 'playbackId' | 'playback' | 'aiOptions' | 'requestedOptions'
>

/** Returns the month in the format of `usage_counters`. */
export const monthOf = (now: number): string => iso(now).slice(0, 7)

/** Sums the encoded duration of this month and the known durations of unfinished jobs. */
const encodedMs = (orgId: string, now: number) => sql<number>`(
	coalesce((select counter.value from usage_counters as counter
		where counter.org_id = ${orgId} and counter.period = ${monthOf(now)} and counter.metric = 'encode_ms'), 0)
	+ coalesce((select sum(job.duration_sec) * 1000 from jobs as job join assets as asset on asset.id = job.asset_id
		where job.org_id = ${orgId} and job.created_at > ${now - 31 * DAY} and job.status in ('queued', 'processing')), 0))`

export const jobStore = (db: Db) => ({
	/** Inserts if the previous statement changed a row. A unique index rejects a second unfinished job. */
	insertIfChanged(job: NewJob, now: number) {
		const { id, assetId, orgId, playbackId, playback, aiOptions, requestedOptions } = job
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
				createdAt: now,
				updatedAt: now,
			},
			sql`where changes() > 0`,
		).returning({ id: jobs.id })
	},

	async encodeMinutes(orgId: string, now: number): Promise<number> {
		const [row] = await db.select({ ms: encodedMs(orgId, now).as('ms') }).from(sql`(select 1) as one`)
		return (row?.ms ?? 0) / MINUTE
	},

	/** Marks the job as started by its first claim. */
	start(jobId: string, workerKind: SQL, now: number) {
		return db
			.update(jobs)
			.set({ status: 'processing', startedAt: now, workerKind, updatedAt: now })
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
	noteWorkIfChanged(id: string, by: { workerKind: SQL; hwAccelUsed: boolean }, isDue: SQL, now: number) {
		return db
			.update(jobs)
			.set({
				// Two reports in one millisecond must differ, or the run for the first could clear the second.
				advanceAt: sql`case when ${isDue} then max(${now}, coalesce(${jobs.advanceAt} + 1, 0)) else ${jobs.advanceAt} end`,
				workerKind: by.workerKind,
				hwAccelUsed: sql`${jobs.hwAccelUsed} or ${by.hwAccelUsed ? 1 : 0}`,
				updatedAt: now,
			})
			.where(and(eq(jobs.id, id), sql`changes() > 0`))
			.returning({ isDue: sql<number>`${jobs.advanceAt} is not null` })
	},

	/** Stores the plan, unless the organization would exceed its encode minutes of the month. */
	plan(
		{ id, orgId, version }: JobRow,
		planned: Pick<JobRow, 'info' | 'plan' | 'encoders'> & { durationSec: number },
		now: number,
		minutesAllowed: number | null,
	) {
		const isAllowed =
			minutesAllowed === null
				? undefined
				: sql`${encodedMs(orgId, now)} + ${planned.durationSec * 1_000} <= ${minutesAllowed * MINUTE}`
		return db
			.update(jobs)
			.set({ ...planned, plannedAt: now, updatedAt: now })
			.where(
				and(eq(jobs.id, id), isUnfinished, isNull(jobs.plan), sql`${jobs.version} >= ${version}`, isAllowed),
			)
			.returning({ id: jobs.id })
	},

	/** Changes the encoders of the given rungs. */
	repin(id: string, encoders: Record<string, string>, now: number) {
		return db
			.update(jobs)
			.set({
				encoders: sql`json_patch(coalesce(${jobs.encoders}, '{}'), ${JSON.stringify(encoders)})`,
				updatedAt: now,
			})
			.where(and(eq(jobs.id, id), isUnfinished))
			.returning({ id: jobs.id })
	},

	/**
	 * Publishes the output of this run. An older run never replaces a newer one. `isEnd`: only downloads are left.
	 */
	publish({ id, version }: JobRow, isEnd: boolean, now: number) {
		return db
			.update(jobs)
			.set({
				publishedVersion: version,
				updatedAt: now,
				...(isEnd && { status: 'completed', endedAt: now }),
			})
			.where(
				and(
					eq(jobs.id, id),
					eq(jobs.status, 'processing'),
					sql`${jobs.publishedVersion} < ${version}`,
					isEnd ? sql`not ${hasOpenTasks(id)}` : undefined,
				),
			)
			.returning({ id: jobs.id })
	},

	/** Leaves out a planned codec and makes the job due. */
	leaveOut(id: string, codec: AdditionalCodec, reason: string, now: number, condition?: SQL) {
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

	fail(id: string, error: string, now: number, condition?: SQL) {
		return db
			.update(jobs)
			.set({ status: 'failed', error, endedAt: now, advanceAt: null, updatedAt: now })
			.where(and(eq(jobs.id, id), isUnfinished, condition))
			.returning({ id: jobs.id })
	},

	/** Replaces the renditions of the asset. Downloads that this job made are kept. */
	replaceRenditions(job: JobRow, published: Presentation['renditions'], condition: SQL) {
		const list = sql`json_each(${JSON.stringify(published)})`
		const isOther = sql`(${renditions.jobId} <> ${job.id} or ${renditions.rungId} not in (select value ->> 'rungId' from ${list}))`
		return [
			db.delete(renditions).where(and(eq(renditions.assetId, job.assetId), isOther, condition)),
			insertSelect(
				db,
				renditions,
				{
					assetId: job.assetId,
					rungId: sql`made.value ->> 'rungId'`,
					jobId: job.id,
					position: sql`made.key`,
					quality: sql`made.value ->> 'quality'`,
					width: sql`made.value ->> 'width'`,
					height: sql`made.value ->> 'height'`,
					bitrateKbps: sql`made.value ->> 'bitrateKbps'`,
					codec: sql`made.value ->> 'codec'`,
				},
				sql`from ${list} as made where ${condition}`,
			).onConflictDoUpdate({
				target: [renditions.assetId, renditions.rungId],
				set: { position: sql`excluded.position`, bitrateKbps: sql`excluded.bitrate_kbps` },
			}),
		]
	},

	/** Follows the completion of a download task in its batch. */
	addDownloadIfChanged(jobId: string, assetId: string, rungId: string, key: string, bytes: number) {
		return db
			.update(renditions)
			.set({ downloadKey: key, downloadBytes: bytes })
			.where(
				and(
					eq(renditions.assetId, assetId),
					eq(renditions.rungId, rungId),
					eq(renditions.jobId, jobId),
					sql`changes() > 0`,
				),
			)
			.returning()
	},

	/** Returns the total size of the job's downloads so far. */
	downloadBytes(jobId: string): SQL<number> {
		return sql`coalesce((select sum(made.download_bytes) from renditions as made where made.job_id = ${jobId}), 0)`
	},

	/** Returns the key of the MP4 download of a rendition. */
	async findDownload(assetId: string, rungIds: readonly string[]): Promise<string | null> {
		const [row] = await db
			.select({ key: renditions.downloadKey })
			.from(renditions)
			.where(and(eq(renditions.assetId, assetId), inArray(renditions.rungId, [...rungIds])))
		return row?.key ?? null
	},

	countEncoded(orgId: string, durationSec: number, now: number, condition: SQL) {
		const ms = Math.round(durationSec * 1_000)
		return insertSelect(
			db,
			usageCounters,
			{ orgId, metric: 'encode_ms', period: monthOf(now), value: ms },
			sql`where ${condition}`,
		).onConflictDoUpdate({
			target: [usageCounters.orgId, usageCounters.period, usageCounters.metric],
			set: { value: sql`${usageCounters.value} + ${ms}` },
		})
	},

	/** Deletes the tasks of earlier jobs of the asset. Returns their unfinished multipart uploads. */
	dropEarlierTasks({ id, assetId }: JobRow, condition: SQL) {
		const earlier = sql`(select job.id from jobs as job where job.asset_id = ${assetId} and job.id <> ${id})`
		return db
			.delete(tasks)
			.where(and(sql`${tasks.jobId} in ${earlier}`, condition))
			.returning(pendingUpload)
	},

	/** Deletes earlier jobs of the asset and their outputs. Follows `dropEarlierTasks` in the batch. */
	dropEarlier({ id, assetId }: JobRow, now: number, condition: SQL) {
		return [
			recordPurgesStatement(
				db,
				sql`select 'media' as bucket, 'media/' || job.playback_id || '/' || job.id || '/' as prefix from jobs as job where job.asset_id = ${assetId} and job.id <> ${id} and ${condition}
					union all select 'vault', 'sources/' || job.asset_id || '/' || job.id || '/' from jobs as job where job.asset_id = ${assetId} and job.id <> ${id} and ${condition}`,
				now,
			),
			db.delete(jobs).where(and(eq(jobs.assetId, assetId), sql`${jobs.id} <> ${id}`, condition)),
		]
	},

	/** Purges all outputs of a job, and a fetched file that did not become the source. */
	purgeAll(jobId: string, now: number, condition: SQL) {
		return recordPurgesStatement(
			db,
			sql`select 'vault' as bucket, 'sources/' || task.asset_id || '/' || task.id || '-' || task.epoch || '/' as prefix
				from tasks as task join assets as asset on asset.id = task.asset_id
				where task.job_id = ${jobId} and task.kind = 'fetch' and asset.source_key is null and ${condition}
				union all select 'media', 'media/' || job.playback_id || '/' || job.id || '/' from jobs as job where job.id = ${jobId} and ${condition}
				union all select 'vault', 'sources/' || job.asset_id || '/' || job.id || '/' from jobs as job where job.id = ${jobId} and ${condition}`,
			now,
		)
	},

	/** Purges outputs of lost epochs, but not of the running one. */
	purgeDead(jobId: string, now: number, condition: SQL) {
		const dead = sql`
			with recursive dead(task_id, kind, epoch) as (
				select task.id, task.kind, task.epoch - (task.state in ('done', 'running')) from tasks as task where task.job_id = ${jobId}
				union all select dead.task_id, dead.kind, dead.epoch - 1 from dead where dead.epoch > 1
			)
			select store.bucket, case store.bucket
				when 'media' then 'media/' || job.playback_id || '/' || job.id || '/' || dead.task_id || '-' || dead.epoch || '/'
				else 'sources/' || job.asset_id || '/' || case dead.kind when 'fetch' then '' else job.id || '/' end || dead.task_id || '-' || dead.epoch || '/' end as prefix
			from dead join jobs as job on job.id = ${jobId}
			join (select 'media' as bucket union all select 'vault') as store
			where dead.epoch > 0 and ${condition}`
		return recordPurgesStatement(db, dead, now)
	},

	/**
	 * Purges the master playlists of all runs but the published one, including runs that died or are still writing. The
	 * purge is delayed, since with early playback some players still use them.
	 */
	purgeOtherMasters(jobId: string, now: number, condition: SQL) {
		const others = sql`
			with recursive run(version) as (
				select 1 union all select run.version + 1 from run where run.version < (select job.version from jobs as job where job.id = ${jobId})
			)
			select 'media' as bucket, 'media/' || job.playback_id || '/' || job.id || '/master-' || run.version || '.m3u8' as prefix
			from run join jobs as job on job.id = ${jobId} where run.version <> job.published_version and ${condition}`
		return recordPurgesStatement(db, others, now, 'once')
	},

	async find(id: string): Promise<JobRow | undefined> {
		const [row] = await db.select().from(jobs).where(eq(jobs.id, id))
		return row
	},
})

export const isUnfinished = inArray(jobs.status, [...unfinished])

export const hasOpenTasks = (jobId: string): SQL =>
	sql`exists (select 1 from tasks as open where open.job_id = ${jobId} and open.kind <> 'download' and open.state in ('queued', 'running'))`

/** Returns a condition that the tier of a rank has open tasks. */
export const hasOpenInTier = (jobId: string, rank: number, kind?: TaskKind): SQL =>
	sql`exists (select 1 from tasks as open where open.job_id = ${jobId} and ${isInTier('open', rank)} and open.state in ('queued', 'running')${kind === undefined ? sql`` : sql` and open.kind = ${kind}`})`

/** Returns a condition that holds after this run published, since no other run has its version. */
export const isPublishedBy = ({ id, version }: JobRow): SQL =>
	sql`exists (select 1 from jobs as published where published.id = ${id} and published.published_version = ${version})`
