import { and, sql } from 'drizzle-orm'
import { jobs } from '#schema/tables/video/transcoding.ts'
import type { Db } from '../../../platform/database/database.ts'
import { readWork, workJson } from './processing-store.ts'

const languagesJson = sql<string>`(
	select json_group_array(made.language) from asset_subtitles as made where made.asset_id = chosen.value
)`

/** Returns the running jobs and subtitles of many assets in one statement, also of assets in the trash. */
export async function findSummaries(db: Db, assetIds: readonly string[]) {
	const rows = await db
		.select({
			assetId: sql<string>`chosen.value`.as('asset_id'),
			job: { status: jobs.status, plannedAt: jobs.plannedAt },
			work: workJson.as('work'),
			languages: languagesJson.as('languages'),
		})
		.from(sql`json_each(${JSON.stringify(assetIds)}) as chosen`)
		// The condition is that of the index, which SQLite uses only for constants in the statement.
		.leftJoin(jobs, and(sql`${jobs.assetId} = chosen.value`, sql`${jobs.status} in ('queued', 'processing')`))
	return rows.map(({ work, languages, ...row }) => ({
		...row,
		work: readWork(work),
		languages: JSON.parse(languages) as string[],
	}))
}
