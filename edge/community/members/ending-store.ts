import { type SQL, sql } from 'drizzle-orm'
import type { AnySQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { memberships } from '#schema/tables/community/community.ts'
import {
	bookmarks,
	eventRsvps,
	flags,
	postFollowers,
	postReactions,
} from '#schema/tables/community/content.ts'
import { accountDeletionRequests as requests } from '#schema/tables/operations/account-deletion.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { membershipReferences } from '../communities/removal-store.ts'
import { releasePlacesStatements, settlePlacesStatements } from '../events/places.ts'
import { hasAccount } from '../people.ts'
import { uncountReactionsStatements } from '../reactions/counts.ts'

const ROWS_AT_ONCE = 2_000

export type RemovedMember = { communityId: number; memberId: number; userId: number | SQL; removedAt: number }

/** Columns that find the rows of a removal. Posts and comments belong to the person and are kept. */
const parts: readonly AnySQLiteColumn[] = [
	...membershipReferences,
	postReactions.membershipId,
	flags.membershipId,
	eventRsvps.membershipId,
]

const hasEnded = (memberId: number) =>
	sql`exists (select 1 from memberships e where e.id = ${memberId} and e.status <> 'active')`

/** Selects the rowids of a limited number of rows of a membership. */
const limitedRows = (column: AnySQLiteColumn, memberId: number, condition: SQL) =>
	sql`(
		select rowid from ${column.table}
		where ${column} = ${memberId} and ${condition}
		order by rowid limit ${ROWS_AT_ONCE}
	)`

/** Follows and bookmarks belong to the person, who may rejoin. Selects only those from before the removal. */
const limitedFollows = ({ userId, communityId, removedAt }: RemovedMember, condition: SQL) =>
	sql`(
		select f.rowid from post_followers f
		cross join posts p on p.id = f.post_id
		where f.user_id = ${userId}
			and p.community_id = ${communityId}
			and f.created_at <= ${removedAt}
			and ${condition}
		limit ${ROWS_AT_ONCE}
	)`
const limitedBookmarks = ({ userId, communityId, removedAt }: RemovedMember) =>
	sql`(
		select b.rowid from bookmarks b
		where b.user_id = ${userId} and b.community_id = ${communityId} and b.created_at <= ${removedAt}
		limit ${ROWS_AT_ONCE}
	)`

/**
 * Returns a statement that transfers ownership to a member with an account when the last owner leaves. Must run before the owner is removed, while
 * `isLeaving` holds. Prefers, as account deletion does, members whose account is not due for deletion, then the highest
 * role, then the oldest membership.
 */
export function transferOwnershipStatement(
	db: Db,
	communityId: number,
	memberId: number,
	now: number,
	isLeaving: SQL,
) {
	const newOwner = sql`
		select m.id from memberships m
		where m.community_id = ${communityId}
			and m.status = 'active'
			and m.id <> ${memberId}
			and ${hasAccount(sql`m.user_id`)}
		order by exists (
			select 1 from ${requests} r where r.user_id = m.user_id and r.status in ('pending', 'confirmed')
		),
			case m.role when 'admin' then 0 when 'moderator' then 1 else 2 end, m.created_at, m.id
		limit 1
	`
	return db
		.update(memberships)
		.set({ role: 'owner', updatedAt: now })
		.where(
			sql`
				id = (${newOwner})
				and ${isLeaving}
				and exists (select 1 from memberships l where l.id = ${memberId} and l.role = 'owner')
				and not exists (
					select 1 from memberships o
					where o.community_id = ${communityId}
						and o.id <> ${memberId}
						and o.role = 'owner'
						and o.status = 'active'
				)
			`,
		)
}

/**
 * Returns statements that delete a member's rows that others see or wait for. Must run in the batch of the removal,
 * before the membership is deleted and while `isRemovable` holds. `rsvpsPromoted` returns the promoted RSVPs.
 */
export const removalStatements = (db: Db, removed: RemovedMember, isRemovable: SQL) => {
	const { memberId, removedAt: now } = removed
	const places = limitedRows(eventRsvps.membershipId, memberId, isRemovable)
	const reactions = limitedRows(postReactions.membershipId, memberId, isRemovable)
	return {
		...releasePlacesStatements(db, places, now),
		reactionsUncounted: uncountReactionsStatements(db, reactions),
		reactionsDeleted: db.delete(postReactions).where(sql`rowid in ${reactions}`),
		followsDeleted: db.delete(postFollowers).where(sql`rowid in ${limitedFollows(removed, isRemovable)}`),
		ownershipTransferred: transferOwnershipStatement(db, removed.communityId, memberId, now, isRemovable),
	}
}

export const endingStore = (db: Db) => ({
	async transferOwnership(communityId: number, memberId: number, now: number): Promise<void> {
		await transferOwnershipStatement(db, communityId, memberId, now, hasEnded(memberId))
	},

	/** Deletes a limited number of rows of each kind of a removed membership. Returns false while there may be more. */
	async clear(removed: RemovedMember, now: number): Promise<boolean> {
		const { memberId } = removed
		const always = sql`true`
		const { rowsDeleted, bookmarksDeleted, followsDeleted } = await batch(db, {
			...settlePlacesStatements(db, limitedRows(eventRsvps.membershipId, memberId, always), now),
			reactionsUncounted: uncountReactionsStatements(
				db,
				limitedRows(postReactions.membershipId, memberId, always),
			),
			rowsDeleted: parts.map((column) =>
				db
					.delete(column.table as SQLiteTable)
					.where(sql`rowid in ${limitedRows(column, memberId, always)}`)
					.returning({ one: sql<number>`1` }),
			),
			bookmarksDeleted: db
				.delete(bookmarks)
				.where(sql`rowid in ${limitedBookmarks(removed)}`)
				.returning({ one: sql<number>`1` }),
			followsDeleted: db
				.delete(postFollowers)
				.where(sql`rowid in ${limitedFollows(removed, always)}`)
				.returning({ one: sql<number>`1` }),
		})
		return [...rowsDeleted, bookmarksDeleted, followsDeleted].every((rows) => rows.length < ROWS_AT_ONCE)
	},
})
