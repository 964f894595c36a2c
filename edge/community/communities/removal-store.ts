import { eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { AnySQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { allowedOrigins } from '#schema/tables/accounts/allowed-origins.ts'
import * as community from '#schema/tables/community/community.ts'
import * as content from '#schema/tables/community/content.ts'
import { cancelledEvents, notificationMutes, notifications } from '#schema/tables/community/notifications.ts'
import * as search from '#schema/tables/community/search.ts'
import { markForErasureStatement } from '../../accounts/managed/managed-people.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { recordPurgesStatement } from '../../platform/storage/storage-purge.ts'
import { sweepRows } from '../../platform/work/sweep.ts'
import { communityFolder } from '../images/keys.ts'

/** A table of the community, with the columns of other tables that reference its rows. */
type Part = {
	table: SQLiteTable & { id: AnySQLiteColumn; communityId: AnySQLiteColumn }
	children: AnySQLiteColumn[]
	/** Whether the rows hold people whom the organization vouched for. They are erased with the community. */
	hasManagedPeople?: true
	/** A literal condition: SQLite uses a partial index only if it can see the condition. */
	where?: SQL
}

const postChildren = [
	content.postReactions.postId,
	content.bookmarks.postId,
	content.postFollowers.postId,
	search.postTerms.postId,
	search.postTexts.postId,
]

/** Columns that reference a membership, in tables whose rows belong only to a membership. */
export const membershipReferences: readonly AnySQLiteColumn[] = [
	community.memberGrants.membershipId,
	community.accessGroupMembers.membershipId,
	community.calendarFeeds.membershipId,
	notifications.membershipId,
	notificationMutes.membershipId,
	search.memberTerms.membershipId,
	search.memberTexts.membershipId,
]

/** The tables in the order of deletion, so that the community still finds every remaining row. */
const parts: readonly Part[] = [
	{ table: content.postComments, children: [content.postReactions.commentId] },
	{ table: content.images, children: [content.postReactions.imageId] },
	{ table: content.posts, children: postChildren, where: sql`deleted_at is null` },
	{ table: content.posts, children: postChildren, where: sql`deleted_at is not null` },
	{ table: content.flags, children: [] },
	{ table: content.pointTransactions, children: [] },
	{ table: content.events, children: [content.eventRsvps.eventId] },
	{ table: cancelledEvents, children: [] },
	{
		table: community.memberships,
		children: [...membershipReferences],
		hasManagedPeople: true,
	},
	{
		table: community.spaces,
		children: [community.accessGroupSpaces.spaceId, content.spaceTopics.spaceId],
	},
	{ table: community.communityInvitations, children: [] },
	{ table: community.invitationLinks, children: [] },
	{ table: community.communityIdentityProviders, children: [] },
	{ table: community.accessGroups, children: [] },
	{ table: allowedOrigins, children: [] },
	{ table: content.tags, children: [] },
	{ table: community.spaceGroups, children: [] },
	{ table: community.profileFields, children: [] },
]

const ROOTS_AT_ONCE = 200
const CHILDREN_AT_ONCE = 2_000

/**
 * Deletes the communities that match `which` and schedules the removal of their rows. Members lose access at once; a
 * queue consumer removes the rows later.
 */
export const removeCommunityStatements = (db: Db, which: SQL, now: number) => {
	const { communities, communityRemovals } = community
	return {
		removalScheduled: insertSelect(
			db,
			communityRemovals,
			{ communityId: sql`communities.id`, dueAt: now },
			sql`from communities where ${which}`,
		).onConflictDoNothing(),
		communityDeleted: db.delete(communities).where(which).returning({ id: communities.id }),
	}
}

/** Finds deleted communities whose rows are not removed yet. */
export const removalSweep = sweepRows(
	{ at: community.communityRemovals.dueAt },
	{ communityId: community.communityRemovals.communityId },
	({ communityId }) => ({ type: 'community.remove', communityId }),
)

export const removalStore = (db: Db) => ({
	parts,

	/** Deletes some rows of a table with their children. Returns false when the table has no more rows. */
	async removeBatch(
		{ table, children, hasManagedPeople, where }: Part,
		communityId: number,
		now: number,
	): Promise<boolean> {
		const some = sql`(
			select id from ${table}
			where community_id = ${communityId} and ${where ?? sql`true`} limit ${ROOTS_AT_ONCE}
		)`
		const childrenIn = (column: AnySQLiteColumn) =>
			sql`select 1 from ${column.table} where ${column} = ${table.id}`
		const hasNoChildren = sql.join(
			children.map((column) => sql` and not exists (${childrenIn(column)})`),
			sql``,
		)
		const { found } = await batch(db, {
			found: db.select({ id: table.id }).from(table).where(inArray(table.id, some)).limit(1),
			peopleMarked: hasManagedPeople
				? markForErasureStatement(db, sql`(select user_id from memberships where id in ${some})`, {
						deleteContent: false,
						now,
					})
				: null,
			childrenDeleted: children.map((column) =>
				db.delete(column.table).where(
					sql`
							rowid in (
								select rowid from ${column.table} where ${column} in ${some} limit ${CHILDREN_AT_ONCE}
							)
						`,
				),
			),
			rowsDeleted: db
				.delete(table)
				.where(sql`rowid in (select ${table.id} from ${table} where ${table.id} in ${some}${hasNoChildren})`),
		})
		return found.length > 0
	},

	async isDue(communityId: number): Promise<boolean> {
		const rows = await db
			.select()
			.from(community.communityRemovals)
			.where(eq(community.communityRemovals.communityId, communityId))
		return rows.length === 1
	},

	/** Ends a removal. Stored objects come last, because only their key prefix identifies them. */
	async finish(communityId: number, now: number): Promise<void> {
		await db.batch([
			recordPurgesStatement(
				db,
				sql`select 'vault' as bucket, ${communityFolder(communityId)} as prefix`,
				now,
			),
			db.delete(community.communityRemovals).where(eq(community.communityRemovals.communityId, communityId)),
		])
	},
})
