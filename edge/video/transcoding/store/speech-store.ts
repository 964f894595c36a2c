import { and, desc, eq, getTableColumns, gt, gte, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import type { MachineCapabilities } from '#schema/contract/video/fleet.ts'
import type { AudioInfo } from '#schema/contract/video/media-info.ts'
import { machines } from '#schema/tables/video/fleet.ts'
import { jobs, tasks } from '#schema/tables/video/transcoding.ts'
import type { Db } from '../../../platform/database/database.ts'
import { recordPurgesStatement } from '../../../platform/storage/storage-purge.ts'
import { foldersOfJob } from './output-folders.ts'
import type { TaskRow } from './task-row.ts'

const kinds = ['speech-plan', 'transcribe'] as const

type SpeechMachine = NonNullable<MachineCapabilities['speech']> & { isOnline: boolean }

/** Queries about the tasks of speech recognition, and the machines that can do them. */
export const speechStore = (db: Db) => ({
	/** Returns the newest published job of an asset, whose files it plays. Its AI tasks belong to that job. */
	async findPublishedJob(assetId: string) {
		const [row] = await db
			.select({
				id: jobs.id,
				assetId: jobs.assetId,
				orgId: jobs.orgId,
				playbackId: jobs.playbackId,
				aiOptions: jobs.aiOptions,
				audio: sql<string | null>`${jobs.info} -> '$.audio'`.as('audio'),
			})
			.from(jobs)
			.where(and(eq(jobs.assetId, assetId), gt(jobs.publishedVersion, 0)))
			.orderBy(desc(jobs.createdAt), desc(jobs.id))
			.limit(1)
		return row && { ...row, audio: JSON.parse(row.audio ?? '[]') as AudioInfo[] }
	},

	/** Lists the tasks of an asset's latest recognition, without the potentially long texts. */
	async list(assetId: string): Promise<TaskRow[]> {
		return db
			.select({
				...getTableColumns(tasks),
				result: sql`case when ${tasks.kind} = 'speech-plan' then ${tasks.result} end`.mapWith(tasks.result),
			})
			.from(tasks)
			.where(and(eq(tasks.assetId, assetId), inArray(tasks.kind, [...kinds])))
	},

	/** Lists the recognized texts of an asset's chunks. */
	async listTexts(assetId: string): Promise<Pick<TaskRow, 'position' | 'result'>[]> {
		return db
			.select({ position: tasks.position, result: tasks.result })
			.from(tasks)
			.where(and(eq(tasks.assetId, assetId), eq(tasks.kind, 'transcribe'), eq(tasks.state, 'done')))
	},

	/** Deletes an asset's recognition tasks with their outputs. Machines with a lease get 410. */
	dropStatements(assetId: string, now: number, condition: SQL) {
		return [
			this.purgeStatement(assetId, now, condition),
			db.delete(tasks).where(and(eq(tasks.assetId, assetId), inArray(tasks.kind, [...kinds]), condition)),
		]
	},

	/** Deletes the chunks of an asset. */
	purgeStatement(assetId: string, now: number, condition: SQL) {
		return recordPurgesStatement(
			db,
			sql`
				with recursive lease(task_id, job_id, epoch) as (
					select task.id, task.job_id, task.epoch from tasks as task
					where task.asset_id = ${assetId} and task.kind = 'speech-plan'
					union all
					select lease.task_id, lease.job_id, lease.epoch - 1 from lease
					where lease.epoch > 1
				)
				select 'vault' as bucket,
					${foldersOfJob.vault} || lease.task_id || '-' || lease.epoch || '/' as prefix
				from lease
				join jobs as job on job.id = lease.job_id
				where lease.epoch > 0 and ${condition}
			`,
			now,
		)
	},

	/** Lists the speech engines of the machines seen since then, except evicted ones. */
	async listEngines(seenSince: number, onlineSince: number): Promise<SpeechMachine[]> {
		const rows = await db
			.select({
				speech: sql<string | null>`${machines.capabilities} -> '$.speech'`.as('speech'),
				state: machines.state,
				pausedAt: machines.pausedAt,
				lastSeenAt: machines.lastSeenAt,
			})
			.from(machines)
			.where(and(gte(machines.lastSeenAt, seenSince), isNull(machines.evictedAt)))
		return rows.flatMap(({ speech, state, pausedAt, lastSeenAt }) => {
			const engine: MachineCapabilities['speech'] = JSON.parse(speech ?? 'null')
			const isOnline = state === 'online' && pausedAt === null && lastSeenAt >= onlineSince
			return engine ? [{ ...engine, isOnline }] : []
		})
	},
})
