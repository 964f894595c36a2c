import { type SQL, sql } from 'drizzle-orm'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import { assets } from '#schema/tables/assets.ts'
import { orgMembers, orgs } from '#schema/tables/identity.ts'
import { comments, reactionCounts, reactions } from '#schema/tables/playback.ts'
import { jobs, renditions, taskFailures, tasks } from '#schema/tables/transcoding.ts'
import { storedAt } from '../assets/storage-keys.ts'
import type { Db } from '../platform/database.ts'
import { recordPurges } from '../platform/storage-purge.ts'
import { orgKeys, tableOf } from './person-columns.ts'
import { nothingPointsAt, type Portion } from './portion.ts'

/** Organizations that nobody else is in. */
export const deserted = (userId: number): SQL =>
	sql`(select mine.org_id from ${orgMembers} as mine where mine.user_id = ${userId} and not exists (select 1 from ${orgMembers} as other where other.org_id = mine.org_id and other.user_id <> ${userId}))`

const ofAsset = [comments.assetId, reactions.assetId, reactionCounts.assetId, renditions.assetId]

/** All that such organizations hold, in the order in which it goes: nothing loses what it is found by. */
export function desertedPortions(db: Db, userId: number, now: number): Portion[] {
	const orgIds = deserted(userId)
	const rows = (column: AnySQLiteColumn, among: SQL, early?: SQL): Portion => ({
		table: tableOf(column),
		where: sql`${column} in ${among}`,
		early,
		erase: (which) => [db.delete(tableOf(column)).where(which)],
	})
	const assetIds = sql`(select ${assets.id} from ${assets} where ${assets.orgId} in ${orgIds})`
	const jobIds = sql`(select ${jobs.id} from ${jobs} where ${jobs.orgId} in ${orgIds})`
	const taskIds = sql`(select ${tasks.id} from ${tasks} where ${tasks.jobId} in ${jobIds})`
	return [
		...ofAsset.map((column) => rows(column, assetIds)),
		{
			...rows(assets.orgId, orgIds, nothingPointsAt(assets.id, ofAsset)),
			erase: (which) => [recordPurges(db, storedAt(which), now), db.delete(assets).where(which)],
		},
		rows(taskFailures.taskId, taskIds),
		rows(tasks.jobId, jobIds, nothingPointsAt(tasks.id, [taskFailures.taskId])),
		rows(jobs.orgId, orgIds, nothingPointsAt(jobs.id, [tasks.jobId])),
		...orgKeys.map((column) => rows(column, orgIds)),
		{ ...rows(orgs.id, orgIds), early: sql`false` },
	]
}
