import { desc, eq, sql } from 'drizzle-orm'
import type { Rendition } from '#schema/contract/video/assets.ts'
import type { TaskKind } from '#schema/contract/video/tasks.ts'
import { assets } from '#schema/tables/video/assets.ts'
import { jobs } from '#schema/tables/video/transcoding.ts'
import type { Db } from '../../../platform/database/database.ts'
import { computeRank, tiers } from '../plan/ranks.ts'
import type { StepState } from '../progress/ai-job-view.ts'
import type { StoredHighlight } from '../progress/highlight-view.ts'
import type { Work } from '../progress/progress.ts'
import { isOfJob } from './tier-condition.ts'

/** The columns of a job that views show. */
export const shownJob = {
	id: jobs.id,
	status: jobs.status,
	workerKind: jobs.workerKind,
	hwAccelUsed: jobs.hwAccelUsed,
	error: jobs.error,
	leftOut: jobs.leftOut,
	createdAt: jobs.createdAt,
	startedAt: jobs.startedAt,
	plannedAt: jobs.plannedAt,
	endedAt: jobs.endedAt,
}

/** Excludes omitted codecs. */
const countsForProgress = sql.raw(
	`task.kind in ('remux', 'video', 'audio', 'stills') and (task.state <> 'cancelled' or task.rank < ${computeRank(tiers.hevc, 0)})`,
)

/** Sums over the tasks of the job. Use only in a select with a join: otherwise drizzle omits table names. */
export const workJson = sql<string>`(
	select json_object(
		'total', coalesce(sum(case when ${countsForProgress} then task.weight end), 0), 'done',
		coalesce(sum(case when ${countsForProgress} then task.weight * task.progress end), 0), 'fetched',
		max(case when task.kind = 'fetch' then task.progress end), 'inspected',
		coalesce(max(case when task.kind = 'inspect' then task.progress end), 0), 'open',
		json_group_array(distinct task.kind) filter (
			where task.state in ('queued', 'running') and ${isOfJob('task')}
		)
	)
	from tasks as task
	where task.job_id = ${jobs}.id
)`

const renditionsJson = sql<string>`(
	select json_group_array(
		json_object(
			'position', rendition.position, 'quality', rendition.quality, 'width', rendition.width, 'height',
			rendition.height, 'bitrateKbps', rendition.bitrate_kbps, 'codec', rendition.codec
		)
	)
	from renditions as rendition
	where rendition.asset_id = ${assets}.id
)`

const aiStepsJson = sql<string>`(
	select json_group_array(json_object('step', ai.step, 'status', ai.status, 'reason', ai.reason))
	from ai_steps as ai where ai.asset_id = ${assets.id})`

const highlightsJson = sql<string>`(
	select json_group_array(json_object('id', part.id, 'title', part.title, 'description', part.description,
		'startMs', part.start_ms, 'endMs', part.end_ms, 'score', part.score, 'rewatch', part.rewatch,
		'reasons', json(part.reasons), 'status', part.status))
	from highlights as part where part.asset_id = ${assets.id})`

/** Returns the processing state of an asset in one statement. */
export async function findProcessing(db: Db, assetId: string) {
	const [row] = await db
		.select({
			asset: { status: assets.status, errorMessage: assets.errorMessage },
			job: shownJob,
			work: workJson.as('work'),
			renditions: renditionsJson.as('made'),
			aiSteps: aiStepsJson.as('ai'),
			highlights: highlightsJson.as('parts'),
		})
		.from(assets)
		.leftJoin(jobs, eq(jobs.assetId, assets.id))
		.where(eq(assets.id, assetId))
		.orderBy(desc(jobs.createdAt), desc(jobs.id))
		.limit(1)
	if (!row) return null
	return {
		...row,
		work: readWork(row.work),
		renditions: readRenditions(row.renditions),
		aiSteps: JSON.parse(row.aiSteps) as StepState[],
		highlights: readHighlights(row.highlights),
	}
}

export type Processing = NonNullable<Awaited<ReturnType<typeof findProcessing>>>

export function readWork(text: string): Work {
	const { open, ...sums } = JSON.parse(text)
	return { ...sums, open: (typeof open === 'string' ? JSON.parse(open) : open) as TaskKind[] }
}

/** Sorts renditions by descending quality. */
const readRenditions = (text: string): Rendition[] =>
	(JSON.parse(text) as (Rendition & { position: number })[])
		.toSorted((a, b) => a.position - b.position)
		.map(({ position: _, ...rendition }) => rendition)

/** Sorts highlights in the order of the video. */
const readHighlights = (text: string): StoredHighlight[] =>
	(JSON.parse(text) as StoredHighlight[]).toSorted((a, b) => a.startMs - b.startMs || (a.id < b.id ? -1 : 1))
