import { and, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import type { TaskKind } from '#schema/contract/tasks.ts'
import { usageCounters } from '#schema/tables/identity.ts'
import { jobs, renditions, tasks } from '#schema/tables/transcoding.ts'
import { DAY, iso, MINUTE } from '../platform/clock.ts'
import type { Db } from '../platform/database.ts'
import { recordPurges } from '../platform/storage-purge.ts'
import type { Presentation } from './presentation.ts'
import { type AdditionalCodec, isInTier } from './ranks.ts'
import { begunUpload } from './task-store.ts'

export type JobRow = typeof jobs.$inferSelect

export const unfinished = ['queued', 'processing'] as const

type NewJob = Pick<JobRow, 'id' | 'assetId' | 'orgId' | 'playbackId' | 'playback' | 'aiOptions' | 'wish'>

/** As `usage_counters` names a month. */
export const monthOf = (now: number): string => iso(now).slice(0, 7)

/** What was encoded this month, and what is being encoded as far as it is known how long it is. */
const encodedMs = (orgId: string, now: number) => sql<number>`(
	coalesce((select counter.value from usage_counters as counter
		where counter.org_id = ${orgId} and counter.period = ${monthOf(now)} and counter.metric = 'encode_ms'), 0)
	+ coalesce((select sum(job.duration_sec) * 1000 from jobs as job join assets as asset on asset.id = job.asset_id
		where job.org_id = ${orgId} and job.created_at > ${now - 31 * DAY} and job.status in ('queued', 'processing')), 0))`

export const jobStore = (db: Db) => ({
	/** Statement for a batch, if the statement before it changed something. Refuses (unique index) a second job. */
	insertIfChanged(job: NewJob, now: number) {
		const { id, assetId, orgId, playbackId, playback, aiOptions, wish } = job
		return db
			.insert(jobs)
			.select(
				sql`select ${id}, ${assetId}, ${orgId}, ${playbackId}, 'queued', ${playback}, ${JSON.stringify(aiOptions)}, ${JSON.stringify(wish)}, null, null, null, null, 0, 0, null, null, 0, null, ${now}, null, null, null, ${now}, null where changes() > 0`,
			)
			.returning({ id: jobs.id })
	},

	async encodeMinutes(orgId: string, now: number): Promise<number> {
		const [row] = await db.select({ ms: encodedMs(orgId, now).as('ms') }).from(sql`(select 1) as one`)
		return (row?.ms ?? 0) / MINUTE
	},

	/** Statements for a batch: a machine took the first task. */
	start(jobId: string, workerKind: SQL, now: number) {
		return db
			.update(jobs)
			.set({ status: 'processing', startedAt: now, workerKind, updatedAt: now })
			.where(and(eq(jobs.id, jobId), eq(jobs.status, 'queued')))
			.returning({ id: jobs.id })
	},

	/** Begins a run that looks for what is next. Every run that begins later sees at least what this one sees. */
	async beginRun(id: string): Promise<JobRow | undefined> {
		const [row] = await db
			.update(jobs)
			.set({ version: sql`${jobs.version} + 1` })
			.where(eq(jobs.id, id))
			.returning()
		return row
	},

	/** Somebody looked, and nothing was reported since they began. */
	async endRun({ id, advanceAt, version }: JobRow): Promise<void> {
		if (advanceAt === null) return
		await db
			.update(jobs)
			.set({ advanceAt: null })
			.where(and(eq(jobs.id, id), eq(jobs.advanceAt, advanceAt), eq(jobs.version, version)))
	},

	/** Statement for a batch behind the end of a task. Where `isDue` holds, somebody should look for what is next. */
	noteWorkIfChanged(id: string, by: { workerKind: SQL; hwAccelUsed: boolean }, isDue: SQL, now: number) {
		return db
			.update(jobs)
			.set({
				// Two reports of one instant must differ, or the second could be taken for looked at.
				advanceAt: sql`case when ${isDue} then max(${now}, coalesce(${jobs.advanceAt} + 1, 0)) else ${jobs.advanceAt} end`,
				workerKind: by.workerKind,
				hwAccelUsed: sql`${jobs.hwAccelUsed} or ${by.hwAccelUsed ? 1 : 0}`,
				updatedAt: now,
			})
			.where(and(eq(jobs.id, id), sql`changes() > 0`))
			.returning({ isDue: sql<number>`${jobs.advanceAt} is not null` })
	},

	/** Statement for a batch. Jobs of an organization together take no more minutes of a month than are allowed. */
	plan(
		{ id, orgId, version }: JobRow,
		made: Pick<JobRow, 'info' | 'plan' | 'encoders'> & { durationSec: number },
		now: number,
		minutesAllowed: number | null,
	) {
		const isAllowed =
			minutesAllowed === null
				? undefined
				: sql`${encodedMs(orgId, now)} + ${made.durationSec * 1_000} <= ${minutesAllowed * MINUTE}`
		return db
			.update(jobs)
			.set({ ...made, plannedAt: now, updatedAt: now })
			.where(
				and(eq(jobs.id, id), isUnfinished, isNull(jobs.plan), sql`${jobs.version} >= ${version}`, isAllowed),
			)
			.returning({ id: jobs.id })
	},

	/** Statement for a batch: rungs that are not named keep their encoders. */
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
	 * Statement for a batch: what this run wrote is what is played from now on. An older run never replaces a newer
	 * one. `isEnd`: nothing is left to do but downloads.
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

	/** Statement for a batch: a codec that was planned is not made after all, and somebody should look what is left. */
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

	/** Statement for a batch. */
	fail(id: string, error: string, now: number, condition?: SQL) {
		return db
			.update(jobs)
			.set({ status: 'failed', error, endedAt: now, advanceAt: null, updatedAt: now })
			.where(and(eq(jobs.id, id), isUnfinished, condition))
			.returning({ id: jobs.id })
	},

	/** Statements for a batch: the asset is shown with these renditions. Downloads that this job made of them stay. */
	replaceRenditions(job: JobRow, made: Presentation['renditions'], condition: SQL) {
		const list = sql`json_each(${JSON.stringify(made)})`
		const isOther = sql`(${renditions.jobId} <> ${job.id} or ${renditions.rungId} not in (select value ->> 'rungId' from ${list}))`
		return [
			db.delete(renditions).where(and(eq(renditions.assetId, job.assetId), isOther, condition)),
			db
				.insert(renditions)
				.select(sql`
					select ${job.assetId}, made.value ->> 'rungId', ${job.id}, made.key, made.value ->> 'quality', made.value ->> 'width',
						made.value ->> 'height', made.value ->> 'bitrateKbps', made.value ->> 'codec', null, null
					from ${list} as made where ${condition}`)
				.onConflictDoUpdate({
					target: [renditions.assetId, renditions.rungId],
					set: { position: sql`excluded.position`, bitrateKbps: sql`excluded.bitrate_kbps` },
				}),
		]
	},

	/** Statement for a batch, behind the end of a download. */
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

	/** Of the files to download that the job has made so far. */
	downloadBytes(jobId: string): SQL<number> {
		return sql`coalesce((select sum(made.download_bytes) from renditions as made where made.job_id = ${jobId}), 0)`
	},

	/** Where the MP4 of a rendition lies. */
	async findDownload(assetId: string, rungIds: readonly string[]): Promise<string | null> {
		const [row] = await db
			.select({ key: renditions.downloadKey })
			.from(renditions)
			.where(and(eq(renditions.assetId, assetId), inArray(renditions.rungId, [...rungIds])))
		return row?.key ?? null
	},

	/** Statement for a batch. */
	countEncoded(orgId: string, durationSec: number, now: number, condition: SQL) {
		const ms = Math.round(durationSec * 1_000)
		return db
			.insert(usageCounters)
			.select(sql`select ${orgId}, 'encode_ms', ${monthOf(now)}, ${ms} where ${condition}`)
			.onConflictDoUpdate({
				target: [usageCounters.orgId, usageCounters.period, usageCounters.metric],
				set: { value: sql`${usageCounters.value} + ${ms}` },
			})
	},

	/** Statement for a batch: tasks of earlier jobs of the asset. Answers what they had begun to store in parts. */
	dropEarlierTasks({ id, assetId }: JobRow, condition: SQL) {
		const earlier = sql`(select job.id from jobs as job where job.asset_id = ${assetId} and job.id <> ${id})`
		return db
			.delete(tasks)
			.where(and(sql`${tasks.jobId} in ${earlier}`, condition))
			.returning(begunUpload)
	},

	/** Statements for a batch, behind the one above: earlier jobs of the asset, and what they made. */
	dropEarlier({ id, assetId }: JobRow, now: number, condition: SQL) {
		return [
			recordPurges(
				db,
				sql`select 'media' as bucket, 'media/' || job.playback_id || '/' || job.id || '/' as prefix from jobs as job where job.asset_id = ${assetId} and job.id <> ${id} and ${condition}
					union all select 'vault', 'sources/' || job.asset_id || '/' || job.id || '/' from jobs as job where job.asset_id = ${assetId} and job.id <> ${id} and ${condition}`,
				now,
			),
			db.delete(jobs).where(and(eq(jobs.assetId, assetId), sql`${jobs.id} <> ${id}`, condition)),
		]
	},

	/** Statement for a batch: all that a job made, and what it fetched if that did not become the source. */
	purgeAll(jobId: string, now: number, condition: SQL) {
		return recordPurges(
			db,
			sql`select 'vault' as bucket, 'sources/' || task.asset_id || '/' || task.id || '-' || task.epoch || '/' as prefix
				from tasks as task join assets as asset on asset.id = task.asset_id
				where task.job_id = ${jobId} and task.kind = 'fetch' and asset.source_key is null and ${condition}
				union all select 'media', 'media/' || job.playback_id || '/' || job.id || '/' from jobs as job where job.id = ${jobId} and ${condition}
				union all select 'vault', 'sources/' || job.asset_id || '/' || job.id || '/' from jobs as job where job.id = ${jobId} and ${condition}`,
			now,
		)
	},

	/** Statement for a batch: what was written under epochs that were lost. The one at work is not. */
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
		return recordPurges(db, dead, now)
	},

	/**
	 * Statement for a batch: master playlists of other runs than the one that is played, those included that a run which
	 * died, or is still on its way, wrote for nothing. With early playback there are players which have them.
	 */
	purgeOtherMasters(jobId: string, now: number, condition: SQL) {
		const others = sql`
			with recursive run(version) as (
				select 1 union all select run.version + 1 from run where run.version < (select job.version from jobs as job where job.id = ${jobId})
			)
			select 'media' as bucket, 'media/' || job.playback_id || '/' || job.id || '/master-' || run.version || '.m3u8' as prefix
			from run join jobs as job on job.id = ${jobId} where run.version <> job.published_version and ${condition}`
		return recordPurges(db, others, now, 'once')
	},

	async find(id: string): Promise<JobRow | undefined> {
		const [row] = await db.select().from(jobs).where(eq(jobs.id, id))
		return row
	},
})

export const isUnfinished = inArray(jobs.status, [...unfinished])

export const hasOpenTasks = (jobId: string): SQL =>
	sql`exists (select 1 from tasks as open where open.job_id = ${jobId} and open.kind <> 'download' and open.state in ('queued', 'running'))`

/** Others of the tier of a rank. */
export const hasOpenInTier = (jobId: string, rank: number, kind?: TaskKind): SQL =>
	sql`exists (select 1 from tasks as open where open.job_id = ${jobId} and ${isInTier('open', rank)} and open.state in ('queued', 'running')${kind === undefined ? sql`` : sql` and open.kind = ${kind}`})`

/** Holds in what is left of a batch whose publishing statement changed something: no other run has this version. */
export const isPublishedBy = ({ id, version }: JobRow): SQL =>
	sql`exists (select 1 from jobs as published where published.id = ${id} and published.published_version = ${version})`
