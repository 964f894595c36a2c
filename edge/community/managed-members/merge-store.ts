import { type SQL, sql } from 'drizzle-orm'
import type { AnySQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { ManagedMembership } from '#schema/contract/community/manage/managed-memberships.ts'
import { calendarFeeds, memberGrants, memberships } from '#schema/tables/community/community.ts'
import { bookmarks, postFollowers } from '#schema/tables/community/content.ts'
import { markForErasureStatement } from '../../accounts/managed/managed-people.ts'
import { auditIfChangedStatement } from '../../platform/audit/audit.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { recordEventIfChangedStatement } from '../../platform/outbox/outbox.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { selectOrgId } from '../access/visible-spaces.ts'
import { computeFirstNotifyAt } from '../notifications/pending-notification.ts'
import { memberTarget } from '../people.ts'
import { communityPersonalData } from '../personal-data/personal-data.ts'

type Owner = { userId: number; email: string }

/**
 * Columns that refer to the user, such as the author of a post. All other columns refer to the membership, which the merge
 * moves as a whole.
 */
export const userColumns: readonly AnySQLiteColumn[] = (communityPersonalData.personKeys ?? [])
	.filter(({ column, holds }) => holds === 'user id' && column.table !== memberships)
	.map(({ column }) => column)
/** Tables that allow one row per person and post. */
export const onePerPost = [bookmarks, postFollowers] as const

/** Selects managed memberships `m` of users `g` with the verified address of an account. A ban stays with its member. */
const withAddress = ({ userId, email }: Owner) => sql`
	from memberships m
	join users g on g.id = m.user_id and g.managed_key is not null and g.locked_at is null
	join communities c on c.id = m.community_id
	join orgs o on o.id = c.org_id and o.suspended_at is null
	where m.email = ${email}
		and m.status in ('active', 'inactive')
		and exists (
			select 1 from users a where a.id = ${userId} and a.email = ${email} and a.email_verified_at is not null
		)
`

const isMemberAlready = (userId: number) =>
	sql`exists (select 1 from memberships own where own.community_id = m.community_id and own.user_id = ${userId})`

export const mergeStore = (db: Db) => ({
	async list(owner: Owner) {
		return db.all<ManagedMembership>(
			sql`
				select m.id as "memberId", m.sso_user_id as "ssoUserId", c.id as "communityId", c.name as "communityName",
					o.name as "orgName"
				${withAddress(owner)}
				order by m.id
			`,
		)
	},

	async find(owner: Owner, memberId: number) {
		const [row] = await db.all<{ isMember: 0 | 1 }>(
			sql`select ${isMemberAlready(owner.userId)} as "isMember" ${withAddress(owner)} and m.id = ${memberId}`,
		)
		return row
	},

	/**
	 * Moves the membership and the user's content to the account, and marks the former user for erasure. Each statement checks
	 * that the merge is allowed. The membership moves last, because the other statements find the former user through it.
	 */
	async merge(work: UnitOfWork, owner: Owner, memberId: number) {
		const { userId } = owner
		const mergeable = sql`${withAddress(owner)} and m.id = ${memberId} and not ${isMemberAlready(userId)}`
		const former = sql`(select m.user_id ${mergeable})`
		const communityId = sql`(select m.community_id from memberships m where m.id = ${memberId})`
		const ofFormer = (column: SQL | AnySQLiteColumn) => sql`${column} = ${former}`
		const { personMarked, membershipMoved } = await batch(db, {
			repeatedRowsDeleted: onePerPost.map((table) =>
				db
					.delete(table as SQLiteTable)
					.where(
						sql`${ofFormer(table.userId)} and post_id in (select post_id from ${table} where user_id = ${userId})`,
					),
			),
			rowsMoved: userColumns.map((column) =>
				db
					.update(column.table as SQLiteTable)
					.set({ [column.name]: userId })
					.where(ofFormer(column)),
			),
			personMarked: markForErasureStatement(db, former, { deleteContent: false, now: work.now }),
			grantsEnded: [memberGrants, calendarFeeds].map((table) =>
				db.delete(table).where(sql`membership_id = (select m.id ${mergeable})`),
			),
			membershipMoved: db
				.update(memberships)
				.set({ userId, email: null, updatedAt: work.now, indexAt: computeFirstNotifyAt(work.now) })
				.where(sql`id = (select m.id ${mergeable})`)
				.returning({
					id: sql<number>`community_id`.as('merged_into'),
					name: sql<string>`(select c.name from communities c where c.id = community_id)`.as('name'),
					slug: sql<string>`(select c.slug from communities c where c.id = community_id)`.as('slug'),
				}),
			entryWritten: auditIfChangedStatement(work, {
				action: 'community_member.merged',
				orgId: selectOrgId(communityId),
				target: memberTarget(memberId),
			}),
			eventRecorded: recordEventIfChangedStatement(work, {
				type: 'member.merged',
				orgId: selectOrgId(communityId),
				payload: { communityId, memberId },
			}),
		})
		const [community] = membershipMoved
		return community && { community, formerUserId: personMarked[0]?.id ?? null }
	},
})
