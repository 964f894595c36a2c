import { and, eq, type SQL, sql } from 'drizzle-orm'
import { assets } from '#schema/tables/video/assets.ts'
import { jobs } from '#schema/tables/video/transcoding.ts'
import type { Db } from '../../../platform/database/database.ts'
import { isUnfinished } from './job-store.ts'

export const cancellationStore = (db: Db) => ({
	/** Returns a job with its asset, which is not in the trash. */
	async find(orgId: string, jobId: string) {
		const [row] = await db
			.select({
				job: { id: jobs.id, status: jobs.status, durationSec: jobs.durationSec },
				asset: { id: assets.id, orgId: assets.orgId, playbackId: assets.playbackId, title: assets.title },
			})
			.from(jobs)
			.innerJoin(assets, eq(assets.id, jobs.assetId))
			.where(and(eq(jobs.id, jobId), eq(jobs.orgId, orgId)))
		return row
	},

	cancelStatement(jobId: string, now: number) {
		return db
			.update(jobs)
			.set({ status: 'cancelled', endedAt: now, advanceAt: null, updatedAt: now })
			.where(and(eq(jobs.id, jobId), isUnfinished))
			.returning({ id: jobs.id })
	},
})

/** SQL condition: the job is cancelled. */
export const isCancelled = (jobId: string): SQL => hasEnded(jobId, sql`1`)

/** SQL condition: the job is cancelled, and nothing of it was published. */
export const isCancelledUnpublished = (jobId: string): SQL =>
	hasEnded(jobId, sql`ended.published_version = 0`)

/** SQL condition: the job was cancelled after all renditions that playback needs were published. */
export const isCancelledWhole = (jobId: string): SQL =>
	hasEnded(jobId, sql`ended.all_published_at is not null`)

const hasEnded = (jobId: string, condition: SQL): SQL =>
	sql`exists (
		select 1 from jobs as ended
		where ended.id = ${jobId} and ended.status = 'cancelled' and ${condition}
	)`
