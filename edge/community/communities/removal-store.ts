import { eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { AnySQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as community from '#schema/tables/community.ts'
import * as content from '#schema/tables/community-content.ts'
import * as search from '#schema/tables/community-search.ts'
import { notificationMutes, notifications } from '#schema/tables/notifications.ts'
import type { Db } from '../../platform/database.ts'
import { recordPurges } from '../../platform/storage-purge.ts'
import { claimDueRows } from '../due-rows.ts'
import { communityFolder } from '../images/keys.ts'

/** A table of the community, and what hangs on its rows. */
type Part = {
	table: SQLiteTable & { id: AnySQLiteColumn; communityId: AnySQLiteColumn }
	children: AnySQLiteColumn[]
	/** Written out, as SQLite takes a partial index only for a condition that it can read. */
	where?: SQL
}

const ofPost = [
	content.postReactions.postId,
	content.bookmarks.postId,
	content.postFollowers.postId,
	search.postTerms.postId,
	search.postTexts.postId,
]

/** What hangs on a membership alone. */
export const ofMembership: readonly AnySQLiteColumn[] = [
	community.memberGrants.membershipId,
	community.accessGroupMembers.membershipId,
	community.calendarFeeds.membershipId,
	notifications.membershipId,
	notificationMutes.membershipId,
	search.memberTerms.membershipId,
	search.memberTexts.membershipId,
]

/** In the order in which they go: nothing is left behind whose way to its community is gone. */
const parts: readonly Part[] = [
	{ table: content.postComments, children: [content.postReactions.commentId] },
	{ table: content.images, children: [content.postReactions.imageId] },
	{ table: content.posts, children: ofPost, where: sql`deleted_at is null` },
	{ table: content.posts, children: ofPost, where: sql`deleted_at is not null` },
	{ table: content.flags, children: [] },
	{ table: content.pointTransactions, children: [] },
	{ table: content.events, children: [content.eventRsvps.eventId] },
	{
		table: community.memberships,
		children: [...ofMembership],
	},
	{
		table: community.spaces,
		children: [community.accessGroupSpaces.spaceId, content.spaceTopics.spaceId],
	},
	{ table: community.communityInvitations, children: [] },
	{ table: community.accessGroups, children: [] },
	{ table: content.tags, children: [] },
	{ table: community.spaceGroups, children: [] },
	{ table: community.profileFields, children: [] },
]

const ROOTS_AT_ONCE = 200
const CHILDREN_AT_ONCE = 2_000

/**
 * Statements for a batch: the communities that a condition on `communities` picks are gone, at once and for
 * everyone; what hung on them is cleared away behind.
 */
export const removeCommunities = (db: Db, which: SQL, now: number) => {
	const { communities, communityRemovals } = community
	return [
		db
			.insert(communityRemovals)
			.select(sql`select communities.id, ${now} from communities where ${which}`)
			.onConflictDoNothing(),
		db.delete(communities).where(which).returning({ id: communities.id }),
	] as const
}

export const removalStore = (db: Db) => ({
	parts,

	/** A few rows of a table with what hangs on them; false when there are none. */
	async removeSome({ table, children, where }: Part, communityId: number): Promise<boolean> {
		const some = sql`(select id from ${table} where community_id = ${communityId} and ${where ?? sql`true`} limit ${ROOTS_AT_ONCE})`
		const hanging = (column: AnySQLiteColumn) =>
			sql`select 1 from ${column.table} where ${column} = ${table.id}`
		const bare = sql.join(
			children.map((column) => sql` and not exists (${hanging(column)})`),
			sql``,
		)
		const [found] = await db.batch([
			db.select({ id: table.id }).from(table).where(inArray(table.id, some)).limit(1),
			...children.map((column) =>
				db
					.delete(column.table)
					.where(
						sql`rowid in (select rowid from ${column.table} where ${column} in ${some} limit ${CHILDREN_AT_ONCE})`,
					),
			),
			db
				.delete(table)
				.where(sql`rowid in (select ${table.id} from ${table} where ${table.id} in ${some}${bare})`),
		])
		return found.length > 0
	},

	async claimDue(now: number): Promise<number[]> {
		const { communityId, dueAt } = community.communityRemovals
		return claimDueRows(db, communityId, dueAt, now)
	},

	async isDue(communityId: number): Promise<boolean> {
		const rows = await db
			.select()
			.from(community.communityRemovals)
			.where(eq(community.communityRemovals.communityId, communityId))
		return rows.length === 1
	},

	/** What is stored goes last, since it is found by nothing but its place. */
	async finish(communityId: number, now: number): Promise<void> {
		await db.batch([
			recordPurges(db, sql`select 'vault' as bucket, ${communityFolder(communityId)} as prefix`, now),
			db.delete(community.communityRemovals).where(eq(community.communityRemovals.communityId, communityId)),
		])
	},
})
