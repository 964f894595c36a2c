import { and, eq, inArray } from 'drizzle-orm'
import { jobs, renditions, taskFailures, tasks } from '#schema/tables/transcoding.ts'
import type { Db } from '../platform/database.ts'
import { begunUpload } from './task-store.ts'

/**
 * Statement for the batch that deletes an asset: machines that are at its tasks hear 410 at their next word. Answers
 * what they had begun to store in parts (`abortUploads`).
 */
export const dropTasks = (db: Db, assetId: string) =>
	db.delete(tasks).where(eq(tasks.assetId, assetId)).returning(begunUpload)

/** Statements for the same batch: its job ends, and stays for a while for the statistics. */
export const endProcessing = (db: Db, assetId: string, now: number) => [
	db
		.update(jobs)
		.set({ status: 'cancelled', endedAt: now, advanceAt: null, updatedAt: now })
		.where(and(eq(jobs.assetId, assetId), inArray(jobs.status, ['queued', 'processing']))),
	db.delete(renditions).where(eq(renditions.assetId, assetId)),
	db.delete(taskFailures).where(eq(taskFailures.assetId, assetId)),
]
