import { type SQL, sql } from 'drizzle-orm'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import { billingAccounts } from '#schema/tables/accounts/billing/accounts.ts'
import { orgMembers, orgs } from '#schema/tables/accounts/identity.ts'
import { highlights } from '#schema/tables/ai/highlights.ts'
import { aiSteps } from '#schema/tables/ai/steps.ts'
import { assetSubtitles } from '#schema/tables/ai/subtitles.ts'
import { subtitleTranslations, translatedBatches } from '#schema/tables/ai/translations.ts'
import { outbox } from '#schema/tables/platform.ts'
import { assets, trashedAssets } from '#schema/tables/video/assets.ts'
import { jobs, renditions, taskFailures, tasks } from '#schema/tables/video/transcoding.ts'
import { comments, reactionCounts, reactions } from '#schema/tables/watch/playback.ts'
import { closeCustomersStatement } from '../../../accounts/billing/closing/close-store.ts'
import { selectOrgPrefixes } from '../../../accounts/orgs/storage.ts'
import type { Db } from '../../../platform/database/database.ts'
import { hidePublicEventsStatement } from '../../../platform/outbox/outbox.ts'
import { findColumnTable, isUnreferenced } from '../../../platform/personal-data.ts'
import { recordPurgesStatement } from '../../../platform/storage/storage-purge.ts'
import { selectAssetPrefixes } from '../../../video/assets/storage-keys.ts'
import { selectLogoPrefixes } from '../../../watch/settings/store.ts'
import type { ErasureStep } from './erasure-step.ts'

/** Selects the organizations whose only member is this person. */
export const selectSoleMemberOrgs = (userId: number): SQL =>
	sql`(
		select mine.org_id from ${orgMembers} as mine
		where mine.user_id = ${userId}
			and not exists (
				select 1 from ${orgMembers} as other where other.org_id = mine.org_id and other.user_id <> ${userId}
			)
	)`

const assetChildColumns = [
	assetSubtitles.assetId,
	subtitleTranslations.assetId,
	translatedBatches.assetId,
	comments.assetId,
	reactions.assetId,
	reactionCounts.assetId,
	renditions.assetId,
	aiSteps.assetId,
	highlights.assetId,
]

/** Returns steps that erase these organizations. Rows come before the parent rows through which they are found. */
export function listSoleMemberOrgSteps(
	db: Db,
	orgKeys: readonly AnySQLiteColumn[],
	userId: number,
	now: number,
): ErasureStep[] {
	const orgIds = selectSoleMemberOrgs(userId)
	const rows = (column: AnySQLiteColumn, among: SQL, early?: SQL): ErasureStep => ({
		table: findColumnTable(column),
		where: sql`${column} in ${among}`,
		early,
		erase: (which) => [db.delete(findColumnTable(column)).where(which)],
	})
	const assetIds = sql`(
		select ${assets.id} from ${assets} where ${assets.orgId} in ${orgIds}
		union all select ${trashedAssets.id} from ${trashedAssets} where ${trashedAssets.orgId} in ${orgIds}
	)`
	const jobIds = sql`(select ${jobs.id} from ${jobs} where ${jobs.orgId} in ${orgIds})`
	const taskIds = sql`(select ${tasks.id} from ${tasks} where ${tasks.jobId} in ${jobIds})`
	return [
		...assetChildColumns.map((column) => rows(column, assetIds)),
		{
			...rows(assets.orgId, orgIds, isUnreferenced(assets.id, assetChildColumns)),
			erase: (which) => [
				recordPurgesStatement(db, selectAssetPrefixes(which), now),
				db.delete(assets).where(which),
			],
		},
		{
			...rows(trashedAssets.orgId, orgIds, isUnreferenced(trashedAssets.id, assetChildColumns)),
			erase: (which) => [
				recordPurgesStatement(db, selectAssetPrefixes(which, trashedAssets), now),
				db.delete(trashedAssets).where(which),
			],
		},
		rows(taskFailures.taskId, taskIds),
		rows(tasks.jobId, jobIds, isUnreferenced(tasks.id, [taskFailures.taskId])),
		rows(jobs.orgId, orgIds, isUnreferenced(jobs.id, [tasks.jobId])),
		...orgKeys.map((column) => rows(column, orgIds)),
		{
			...rows(billingAccounts.orgId, orgIds, sql`false`),
			erase: (which) => [closeCustomersStatement(db, which, now), db.delete(billingAccounts).where(which)],
		},
		{
			table: outbox,
			where: sql`${outbox.orgId} in ${orgIds} and ${outbox.sequence} is not null`,
			// The next sequence is derived from the newest event, should the deletion be refused after all.
			early: sql`exists (
				select 1 from outbox as newer
				where newer.org_id = ${outbox.orgId} and newer.sequence > ${outbox.sequence}
			)`,
			erase: (which) => [hidePublicEventsStatement(db, which)],
		},
		{
			...rows(orgs.id, orgIds, sql`false`),
			erase: (which) => [
				recordPurgesStatement(
					db,
					sql`${selectLogoPrefixes(which)} union all ${selectOrgPrefixes(which)}`,
					now,
				),
				db.delete(orgs).where(which),
			],
		},
	]
}
