import { and, asc, desc, eq, lt, type SQL, sql } from 'drizzle-orm'
import { MAX_COUNTED } from '#schema/contract/operations/admin/limits.ts'
import { assetErrorGroups, assets } from '#schema/tables/video/assets.ts'
import { jobs } from '#schema/tables/video/transcoding.ts'
import type { Db } from '../../../platform/database/database.ts'
import { comesAfter, comesBefore, type Position } from '../../../platform/database/keyset.ts'

const hasError = (fingerprint: string): SQL =>
	sql`${assets.errorFingerprint} is not null and ${assets.errorFingerprint} = ${fingerprint}`

/** Returns a condition that holds while the asset still has the error. */
export const hasSameError = (assetId: string, fingerprint: string): SQL =>
	sql`exists (
		select 1 from assets as failed where failed.id = ${assetId} and failed.error_fingerprint = ${fingerprint}
	)`

export const assetErrorStore = (db: Db) => ({
	/** Lists groups, most recently seen first. */
	listGroups(limit: number, position: Position | null) {
		return db
			.select({
				group: assetErrorGroups,
				assets: sql<number>`(
					select count(*)
					from (
						select 1 from assets as failed
						where failed.error_fingerprint is not null
							and failed.error_fingerprint = asset_error_groups.fingerprint
						limit ${MAX_COUNTED}
					)
				)`,
			})
			.from(assetErrorGroups)
			.where(comesBefore(assetErrorGroups.lastSeenAt, assetErrorGroups.fingerprint, position))
			.orderBy(desc(assetErrorGroups.lastSeenAt), desc(assetErrorGroups.fingerprint))
			.limit(limit + 1)
	},

	listAssets(fingerprint: string, limit: number, position: Position | null) {
		return db
			.select({
				id: assets.id,
				orgId: assets.orgId,
				title: assets.title,
				errorMessage: assets.errorMessage,
				createdAt: assets.createdAt,
			})
			.from(assets)
			.where(and(hasError(fingerprint), comesBefore(assets.createdAt, assets.id, position)))
			.orderBy(desc(assets.createdAt), desc(assets.id))
			.limit(limit + 1)
	},

	/** Lists the next assets to reprocess, oldest first, with the options of their last job. */
	listRetries(fingerprint: string, limit: number, position: Position | null) {
		const newest = sql`(
			select last.id from jobs as last
			where last.asset_id = ${assets.id}
			order by last.created_at desc, last.id desc limit 1
		)`
		return db
			.select({
				id: assets.id,
				orgId: assets.orgId,
				createdAt: assets.createdAt,
				aiOptions: jobs.aiOptions,
				playback: jobs.playback,
			})
			.from(assets)
			.leftJoin(jobs, eq(jobs.id, newest))
			.where(and(hasError(fingerprint), comesAfter(assets.createdAt, assets.id, position)))
			.orderBy(asc(assets.createdAt), asc(assets.id))
			.limit(limit + 1)
	},

	/** Deletes groups without assets. */
	async prune(seenBefore: number): Promise<void> {
		await db.delete(assetErrorGroups).where(
			and(
				lt(assetErrorGroups.lastSeenAt, seenBefore),
				sql`not exists (
						select 1 from assets as failed
						where failed.error_fingerprint is not null
							and failed.error_fingerprint = asset_error_groups.fingerprint
					)`,
			),
		)
	},
})
