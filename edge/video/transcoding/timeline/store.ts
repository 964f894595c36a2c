import { and, desc, eq, sql } from 'drizzle-orm'
import { aiSteps } from '#schema/tables/ai/steps.ts'
import { assets } from '#schema/tables/video/assets.ts'
import { jobs, taskFailures, tasks } from '#schema/tables/video/transcoding.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Db } from '../../../platform/database/database.ts'
import { isForPlaybackRank } from '../store/tier-condition.ts'

const MAX_JOBS = 5
export const MAX_TASKS = 100
const MAX_FAILURES = 100

export type TimelineRows = NonNullable<Awaited<ReturnType<typeof readTimeline>>>

/** Returns what is stored about the processing of an asset, in one round trip; null if the organization has no such asset. */
export async function readTimeline(db: Db, orgId: string, assetId: string, now: number) {
	const isOfAsset = eq(tasks.assetId, assetId)
	const {
		found: [asset],
		...rows
	} = await batch(db, {
		found: db
			.select({
				status: assets.status,
				errorMessage: assets.errorMessage,
				hasUrl: sql<number>`${assets.sourceUrl} is not null`,
				sourceReceivedAt: assets.sourceReceivedAt,
				createdAt: assets.createdAt,
			})
			.from(assets)
			.where(and(eq(assets.id, assetId), eq(assets.orgId, orgId))),
		jobs: db
			.select({
				id: jobs.id,
				status: jobs.status,
				error: jobs.error,
				traceId: jobs.traceId,
				createdAt: jobs.createdAt,
				startedAt: jobs.startedAt,
				plannedAt: jobs.plannedAt,
				allPublishedAt: jobs.allPublishedAt,
				endedAt: jobs.endedAt,
			})
			.from(jobs)
			.where(eq(jobs.assetId, assetId))
			.orderBy(desc(jobs.createdAt), desc(jobs.id))
			.limit(MAX_JOBS),
		groups: db
			.select({
				jobId: tasks.jobId,
				kind: tasks.kind,
				isForPlayback: sql<number>`${isForPlaybackRank(tasks.rank)}`,
				count: sql<number>`count(*)`,
				done: sql<number>`sum(${tasks.state} = 'done')`,
				open: sql<number>`sum(${tasks.state} in ('queued', 'running'))`,
				running: sql<number>`sum(${tasks.state} = 'running')`,
				failed: sql<number>`sum(${tasks.state} = 'failed')`,
				since: sql<number>`min(
					case
						when ${tasks.state} = 'queued' then ${tasks.createdAt}
						else coalesce(${tasks.startedAt}, ${tasks.createdAt})
					end
				)`,
				doneAt: sql<number | null>`max(case when ${tasks.state} = 'done' then ${tasks.endedAt} end)`,
				endedAt: sql<number | null>`max(${tasks.endedAt})`,
				workSec: sql<number | null>`sum(${tasks.workSec})`,
			})
			.from(tasks)
			.where(isOfAsset)
			.groupBy(tasks.jobId, tasks.kind, sql`3`)
			.orderBy(sql`min(${tasks.createdAt})`, tasks.kind),
		tasks: db
			.select({
				id: tasks.id,
				jobId: tasks.jobId,
				kind: tasks.kind,
				position: tasks.position,
				isForPlayback: sql<number>`${isForPlaybackRank(tasks.rank)}`,
				state: tasks.state,
				createdAt: tasks.createdAt,
				startedAt: tasks.startedAt,
				endedAt: tasks.endedAt,
			})
			.from(tasks)
			.where(isOfAsset)
			.orderBy(
				sql`coalesce(${tasks.endedAt}, ${now}) - coalesce(${tasks.startedAt}, ${tasks.createdAt}) desc`,
				tasks.id,
			)
			.limit(MAX_TASKS),
		failures: db
			.select({
				taskId: taskFailures.taskId,
				epoch: taskFailures.epoch,
				jobId: taskFailures.jobId,
				kind: taskFailures.kind,
				reason: taskFailures.reason,
				startedAt: taskFailures.startedAt,
				endedAt: taskFailures.createdAt,
			})
			.from(taskFailures)
			.where(eq(taskFailures.assetId, assetId))
			.orderBy(desc(taskFailures.createdAt), taskFailures.taskId)
			.limit(MAX_FAILURES),
		aiSteps: db
			.select({
				step: aiSteps.step,
				status: aiSteps.status,
				reason: aiSteps.reason,
				startedAt: aiSteps.startedAt,
				updatedAt: aiSteps.updatedAt,
			})
			.from(aiSteps)
			.where(eq(aiSteps.assetId, assetId)),
	})
	return asset ? { asset, ...rows } : null
}
