import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../../platform/database/database.ts'
import { recordPurgesStatement } from '../../../platform/storage/storage-purge.ts'
import { foldersOfJob as folders } from './output-folders.ts'

/** Purges all outputs of the jobs (alias `job`) that match. */
export const purgeJobsStatement = (db: Db, which: SQL, now: number) =>
	recordPurgesStatement(
		db,
		sql`select 'media' as bucket, ${folders.media} as prefix from jobs as job where ${which}
			union all select 'vault', ${folders.vault} from jobs as job where ${which}`,
		now,
	)

/** Purges all outputs of a job, and a fetched file that did not become the source. */
export function purgeAllStatement(db: Db, jobId: string, now: number, condition: SQL) {
	return recordPurgesStatement(
		db,
		sql`
			select 'vault' as bucket, ${folders.source} || task.id || '-' || task.epoch || '/' as prefix
			from tasks as task
			join jobs as job on job.id = task.job_id
			join assets as asset on asset.id = task.asset_id
			where task.job_id = ${jobId} and task.kind = 'fetch' and asset.source_key is null and ${condition}
			union all
			select 'media', ${folders.media} from jobs as job
			where job.id = ${jobId} and ${condition}
			union all
			select 'vault', ${folders.vault} from jobs as job
			where job.id = ${jobId} and ${condition}
		`,
		now,
	)
}

/** Purges outputs of lost epochs, but not of the running one. */
export function purgeLostEpochsStatement(db: Db, jobId: string, now: number, condition: SQL) {
	const lost = sql`
		with recursive lost(task_id, kind, epoch) as (
			select task.id, task.kind, task.epoch - (task.state in ('done', 'running')) from tasks as task
			where task.job_id = ${jobId}
			union all
			select lost.task_id, lost.kind, lost.epoch - 1 from lost
			where lost.epoch > 1
		)
		select store.bucket,
			case store.bucket
				when 'media' then ${folders.media} || lost.task_id || '-' || lost.epoch || '/'
				else case lost.kind when 'fetch' then ${folders.source} else ${folders.vault} end || lost.task_id || '-' || lost.epoch || '/'
			end as prefix
		from lost
		join jobs as job on job.id = ${jobId}
		join (select 'media' as bucket union all select 'vault') as store
		where lost.epoch > 0 and ${condition}
	`
	return recordPurgesStatement(db, lost, now)
}

/**
 * Purges all master playlists but the published one, including those of runs that died or are still writing. Delayed,
 * because with early playback some players still use them.
 */
export function purgeOtherMastersStatement(db: Db, jobId: string, now: number, condition: SQL) {
	const others = sql`
		with recursive run(version) as (
			select 1
			union all
			select run.version + 1 from run
			where run.version < (select job.version from jobs as job where job.id = ${jobId})
		)
		select 'media' as bucket, ${folders.media} || 'master-' || run.version || '.m3u8' as prefix from run
		join jobs as job on job.id = ${jobId}
		where run.version <> job.published_version and ${condition}
	`
	return recordPurgesStatement(db, others, now, 'once')
}
