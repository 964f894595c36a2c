import { and, eq, inArray } from 'drizzle-orm'
import { jobs, renditions, taskFailures, tasks } from '#schema/tables/transcoding.ts'
import type { Db } from '../platform/database.ts'

/**
 * Statements for the batch that deletes an asset: its job ends, and machines that are at its tasks hear 410 at their
 * next word. The job itself stays for a while, for the statistics.
 */
export const endProcessing = (db: Db, assetId: string, now: number) => [
	db
		.update(jobs)
		.set({ status: 'cancelled', endedAt: now, advanceAt: null, updatedAt: now })
		.where(and(eq(jobs.assetId, assetId), inArray(jobs.status, ['queued', 'processing']))),
	db.delete(tasks).where(eq(tasks.assetId, assetId)),
	db.delete(renditions).where(eq(renditions.assetId, assetId)),
	db.delete(taskFailures).where(eq(taskFailures.assetId, assetId)),
]
