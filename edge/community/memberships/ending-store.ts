import { eq, sql } from 'drizzle-orm'
import type { AnySQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { accountDeletionRequests as requests } from '#schema/tables/account-deletion.ts'
import { memberships } from '#schema/tables/community.ts'
import {
	bookmarks,
	eventRsvps,
	flags,
	postFollowers,
	postReactions,
} from '#schema/tables/community-content.ts'
import type { Db } from '../../platform/database.ts'
import { ofMembership } from '../communities/removal-store.ts'
import { settlePlaces } from '../events/places.ts'

const ROWS_AT_ONCE = 2_000

/** What a member who is removed takes along; what they wrote is the person's and stays. */
const parts: readonly AnySQLiteColumn[] = [...ofMembership, postReactions.membershipId, flags.membershipId]

const isOver = (memberId: number) =>
	sql`exists (select 1 from memberships e where e.id = ${memberId} and e.status <> 'active')`

export const endingStore = (db: Db) => ({
	/** As when an account is deleted: not to someone who is leaving too, rather to an admin, rather who is there longest. */
	async handOver(communityId: number, memberId: number, now: number): Promise<void> {
		const heir = sql`select m.id from memberships m where m.community_id = ${communityId} and m.status = 'active' and m.id <> ${memberId}
			order by exists (select 1 from ${requests} r where r.user_id = m.user_id and r.status in ('pending', 'confirmed')),
				case m.role when 'admin' then 0 when 'moderator' then 1 else 2 end, m.created_at, m.id limit 1`
		await db
			.update(memberships)
			.set({ role: 'owner', updatedAt: now })
			.where(
				sql`id = (${heir}) and ${isOver(memberId)} and exists (select 1 from memberships l where l.id = ${memberId} and l.role = 'owner') and not exists (select 1 from memberships o where o.community_id = ${communityId} and o.role = 'owner' and o.status = 'active')`,
			)
	},

	/** Places at events that are not over go to those who wait. */
	async releasePlaces(memberId: number, now: number): Promise<void> {
		const rows = sql`(select r.rowid from event_rsvps r join events e on e.id = r.event_id where r.membership_id = ${memberId} and e.ends_at > ${now} and ${isOver(memberId)})`
		await db.batch([
			...settlePlaces(db, rows, now),
			db.delete(eventRsvps).where(sql`rowid in ${rows}`),
		] as const)
	},

	/** The membership with what hangs on it, unless the person came back since. False while there is more. */
	async remove(memberId: number, removedAt: number, now: number): Promise<boolean> {
		const isRemoved = sql`exists (select 1 from memberships e where e.id = ${memberId} and e.status = 'inactive' and e.updated_at = ${removedAt})`
		const some = (column: AnySQLiteColumn) =>
			sql`(select rowid from ${column.table} where ${column} = ${memberId} and ${isRemoved} order by rowid limit ${ROWS_AT_ONCE})`
		const places = some(eventRsvps.membershipId)
		const bare = sql.join(
			[...parts, eventRsvps.membershipId].map(
				(column) => sql` and not exists (select 1 from ${column.table} where ${column} = ${memberId})`,
			),
			sql``,
		)
		const userId = sql`(select e.user_id from memberships e where e.id = ${memberId})`
		const communityId = sql`(select e.community_id from memberships e where e.id = ${memberId})`
		const results = await db.batch([
			...settlePlaces(db, places, now),
			db.delete(eventRsvps).where(sql`rowid in ${places}`),
			...parts.map((column) => db.delete(column.table as SQLiteTable).where(sql`rowid in ${some(column)}`)),
			db.delete(bookmarks).where(sql`user_id = ${userId} and community_id = ${communityId} and ${isRemoved}`),
			db
				.delete(postFollowers)
				.where(
					sql`user_id = ${userId} and ${isRemoved} and exists (select 1 from posts p where p.id = post_followers.post_id and p.community_id = ${communityId})`,
				),
			db.delete(memberships).where(sql`${eq(memberships.id, memberId)} and ${isRemoved}${bare}`),
			db.select({ rest: sql<number>`${isRemoved}`.as('rest') }).from(sql`(select 1)`),
		])
		return (results.at(-1) as { rest: number }[])[0]?.rest !== 1
	},
})
