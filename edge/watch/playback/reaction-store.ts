import { and, eq, gt, sql } from 'drizzle-orm'
import type { Emoji } from '#schema/contract/watch/reactions.ts'
import { assets } from '#schema/tables/video/assets.ts'
import { reactionCounts, reactions } from '#schema/tables/watch/playback.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { recordEventIfChangedStatement } from '../../platform/outbox/outbox.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'

type ReactedAsset = { id: string; orgId: string; playbackId: string }

export const reactionStore = (db: Db) => {
	const counts = (assetId: string) =>
		db
			.select({ emoji: reactionCounts.emoji, count: reactionCounts.count })
			.from(reactionCounts)
			.where(and(eq(reactionCounts.assetId, assetId), gt(reactionCounts.count, 0)))
	const own = (assetId: string, sessionId: string) =>
		db
			.select({ emoji: reactions.emoji })
			.from(reactions)
			.where(and(eq(reactions.assetId, assetId), eq(reactions.sessionId, sessionId)))

	return {
		async read(assetId: string, sessionId: string | undefined) {
			if (sessionId === undefined) return { counts: await counts(assetId), own: [] }
			const { counts: all, mine } = await batch(db, {
				counts: counts(assetId),
				mine: own(assetId, sessionId),
			})
			return { counts: all, own: mine }
		},

		/**
		 * Removes the session's reaction, or adds it if there was none, and adjusts the count. Each statement depends on
		 * `changes()` of the previous one. Nothing is added unless the asset is `ready`.
		 */
		async toggle(work: UnitOfWork, asset: ReactedAsset, sessionId: string, emoji: Emoji) {
			const { id: assetId, orgId, playbackId } = asset
			const {
				removed,
				added,
				counts: all,
				mine,
			} = await batch(db, {
				removed: db
					.delete(reactions)
					.where(
						and(
							eq(reactions.assetId, assetId),
							eq(reactions.sessionId, sessionId),
							eq(reactions.emoji, emoji),
						),
					)
					.returning({ emoji: reactions.emoji }),
				reactionCountsUpdated: db
					.update(reactionCounts)
					.set({ count: sql`${reactionCounts.count} - 1` })
					.where(
						and(eq(reactionCounts.assetId, assetId), eq(reactionCounts.emoji, emoji), sql`changes() > 0`),
					),
				added: insertSelect(
					db,
					reactions,
					{ assetId, sessionId, emoji },
					sql`
						where changes() = 0
							and exists (
								select 1 from ${assets} where ${assets.id} = ${assetId} and ${assets.status} = 'ready'
							)
					`,
				).returning({ emoji: reactions.emoji }),
				reactionCountsInserted: insertSelect(
					db,
					reactionCounts,
					{ assetId, emoji, count: 1 },
					sql`where changes() > 0`,
				).onConflictDoUpdate({
					target: [reactionCounts.assetId, reactionCounts.emoji],
					set: { count: sql`${reactionCounts.count} + 1` },
				}),
				eventRecorded: recordEventIfChangedStatement(work, {
					type: 'reaction.added',
					orgId,
					payload: { assetId, playbackId, emoji },
				}),
				counts: counts(assetId),
				mine: own(assetId, sessionId),
			})
			return removed.length + added.length === 0 ? null : { counts: all, own: mine }
		},
	}
}
