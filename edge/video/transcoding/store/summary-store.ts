import { and, eq, sql } from 'drizzle-orm'
import { assets } from '#schema/tables/video/assets.ts'
import { jobs } from '#schema/tables/video/transcoding.ts'
import type { Db } from '../../../platform/database/database.ts'
import { readWork, workJson } from './processing-store.ts'

const languagesJson = sql<string>`(
	select json_group_array(made.language) from asset_subtitles as made where made.asset_id = ${assets}.id
)`

/** Returns the running jobs and subtitles of many assets in one statement. */
export async function findSummaries(db: Db, assetIds: readonly string[]) {
	const rows = await db
		.select({
			assetId: assets.id,
			job: { status: jobs.status, plannedAt: jobs.plannedAt },
			work: workJson.as('work'),
			languages: languagesJson.as('languages'),
		})
		.from(assets)
		// The condition is that of the index, which SQLite uses only for constants in the statement.
		.leftJoin(jobs, and(eq(jobs.assetId, assets.id), sql`${jobs.status} in ('queued', 'processing')`))
		.where(sql`${assets.id} in (select value from json_each(${JSON.stringify(assetIds)}) as chosen)`)
	return rows.map(({ work, languages, ...row }) => ({
		...row,
		work: readWork(work),
		languages: JSON.parse(languages) as string[],
	}))
}
