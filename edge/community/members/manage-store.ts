import { and, asc, eq, ne, type SQL, sql } from 'drizzle-orm'
import type { MembersQuery } from '#schema/contract/community/manage/memberships.ts'
import { users } from '#schema/tables/accounts/identity.ts'
import { memberships } from '#schema/tables/community/community.ts'
import { markForErasureStatement } from '../../accounts/managed/managed-people.ts'
import { auditIfChangedStatement, auditIfStatement } from '../../platform/audit/audit.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { recordEventIfStatement } from '../../platform/outbox/outbox.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { endAccessStatements } from '../access/store.ts'
import { avatarColumns, isReplacedBy, purgeAvatars } from '../avatars/store.ts'
import { ownedBy } from '../communities/store.ts'
import { releasePlacesStatements, selectPlacesLeftByMember } from '../events/places.ts'
import { computeFirstNotifyAt } from '../notifications/pending-notification.ts'
import { memberTarget } from '../people.ts'
import { memberIndex, selectCandidates } from '../search/candidates.ts'
import { removalStatements } from './ending-store.ts'

type Row = Omit<
	typeof memberships.$inferSelect,
	'profile' | 'indexAt' | 'name' | 'avatarKey' | 'email' | 'notificationsSeenAt' | 'spacesSeen'
>
export type MembershipRow = Row & { email: string | null; name: string; managed: boolean }
export type Change = Partial<Pick<Row, 'role' | 'status' | 'ssoUserId' | 'avatarUrl' | 'headline' | 'bio'>>

const columns = {
	id: memberships.id,
	communityId: memberships.communityId,
	userId: memberships.userId,
	role: memberships.role,
	status: memberships.status,
	ssoUserId: memberships.ssoUserId,
	avatarUrl: memberships.avatarUrl,
	headline: memberships.headline,
	bio: memberships.bio,
	createdAt: memberships.createdAt,
	updatedAt: memberships.updatedAt,
}

const withUser = {
	...columns,
	email: sql<string | null>`
		(select coalesce(u.email, memberships.email) from users u where u.id = memberships.user_id)
	`.as('email'),
	managed: sql<boolean>`(select u.managed_key is not null from users u where u.id = memberships.user_id)`
		.mapWith(Boolean)
		.as('managed'),
	name: sql<string>`
		(select coalesce(memberships.name, u.name) from users u where u.id = memberships.user_id)
	`.as('name'),
}

/** What the organization sees of the person. `email` is the unproved address of a managed member. */
const joinedUser = {
	email: sql<string | null>`coalesce(${users.email}, ${memberships.email})`.as('shown_email'),
	name: sql<string>`coalesce(${memberships.name}, ${users.name})`,
	managed: sql<boolean>`${users.managedKey} is not null`.mapWith(Boolean).as('managed'),
}

/** Excludes memberships of status `invited`: they are not shown, and only the person can activate them. */
const isJoined = ne(memberships.status, 'invited')

/** Matches a member of a community that the organization owns. `among` limits the roles. */
const isManaged = (
	orgId: string,
	communityId: number,
	id: number,
	among: 'anyone' | 'plain members' = 'anyone',
) =>
	and(
		eq(memberships.id, id),
		eq(memberships.communityId, communityId),
		isJoined,
		ownedBy(orgId, communityId),
		among === 'plain members' ? eq(memberships.role, 'member') : undefined,
	)

/** SQL condition: the member is not the last active owner. */
const leavesAnOwner = (communityId: number) =>
	sql`(
		memberships.role <> 'owner'
		or memberships.status <> 'active'
		or exists (
			select 1 from memberships o
			where o.community_id = ${communityId}
				and o.id <> memberships.id
				and o.role = 'owner'
				and o.status = 'active'
		)
	)`

/** Selects the member whose account has the address, and managed members with it. */
const withAddress = (communityId: number, email: string) =>
	sql`
		select a.id from memberships a
		where a.community_id = ${communityId} and a.user_id = (select w.id from users w where w.email = ${email})
		union all
		select g.id from memberships g where g.email = ${email} and g.community_id = ${communityId}
	`

/**
 * Returns the conditions of a filter, each on an index. Unary plus disables the index of the less selective of role
 * and status.
 */
function matches(communityId: number, filter: Omit<MembersQuery, 'limit' | 'cursor'>): SQL[] {
	const { email, ssoUserId, role, status, q, accessGroupId } = filter
	const isRareStatus = status !== undefined && status !== 'active'
	const { byWords, byText } = selectCandidates(memberIndex, communityId, q ?? '')
	return [
		email !== undefined && sql`${memberships.id} in (${withAddress(communityId, email)})`,
		ssoUserId !== undefined && eq(memberships.ssoUserId, ssoUserId),
		role !== undefined && sql`${sql.raw(isRareStatus ? '+' : '')}${memberships.role} = ${role}`,
		status !== undefined &&
			sql`${sql.raw(role && !isRareStatus ? '+' : '')}${memberships.status} = ${status}`,
		accessGroupId !== undefined &&
			sql`exists (
				select 1 from access_group_members gm
				where gm.access_group_id = ${accessGroupId} and gm.membership_id = ${memberships.id}
			)`,
		q !== undefined &&
			sql`${memberships.id} in (select id from (${byWords}) union select id from (${byText}))`,
	].filter((condition) => condition !== false)
}

export const membershipStore = (db: Db) => ({
	async list(
		communityId: number,
		filter: Omit<MembersQuery, 'limit' | 'cursor'>,
		limit: number,
		position: readonly [number, string | number] | null,
	) {
		return db
			.select({ ...columns, ...joinedUser })
			.from(memberships)
			.innerJoin(users, eq(users.id, memberships.userId))
			.where(
				and(
					// Without an index on the community, the few members with an address are looked up first.
					filter.email === undefined
						? eq(memberships.communityId, communityId)
						: sql`+${memberships.communityId} = ${communityId}`,
					isJoined,
					...matches(communityId, filter),
					position
						? sql`(${memberships.createdAt}, ${memberships.id}) > (${position[0]}, ${position[1]})`
						: undefined,
				),
			)
			.orderBy(asc(memberships.createdAt), asc(memberships.id))
			.limit(limit + 1)
	},

	async find(orgId: string, communityId: number, id: number): Promise<MembershipRow | undefined> {
		const [row] = await db
			.select({ ...columns, ...joinedUser })
			.from(memberships)
			.innerJoin(users, eq(users.id, memberships.userId))
			.where(isManaged(orgId, communityId, id))
		return row
	},

	/**
	 * Updates a membership, unless the community would lose its last owner. If the update ends the membership, the same batch
	 * records the event, deletes the tokens and frees the places; `promoted` lists the RSVPs that got such a place. An update
	 * that makes a membership active again records that.
	 */
	async update(
		work: UnitOfWork,
		orgId: string,
		communityId: number,
		id: number,
		change: Change,
		among: 'anyone' | 'plain members',
	): Promise<{ row: MembershipRow; promoted: number[] } | undefined> {
		const demotes = change.role !== undefined && change.role !== 'owner'
		const target = and(
			isManaged(orgId, communityId, id, among),
			demotes ? leavesAnOwner(communityId) : undefined,
		)
		const { avatarUrl, ...rest } = change
		const update = db
			.update(memberships)
			.set({
				...rest,
				...(avatarUrl !== undefined && avatarColumns(avatarUrl)),
				updatedAt: work.now,
				indexAt: computeFirstNotifyAt(work.now),
			})
			.where(target)
			.returning(withUser)
		const exists = sql`exists (select 1 from ${memberships} where ${target})`
		const hasStatus = (condition: SQL) =>
			sql`exists (select 1 from ${memberships} where ${target} and status ${condition})`
		const ends = change.status !== undefined && change.status !== 'active'
		const draft = { orgId, payload: { communityId, memberId: id } }
		const replacedAvatar =
			avatarUrl === undefined ? null : sql`m.id = ${id} and ${isReplacedBy(avatarUrl)} and ${exists}`
		const places = releasePlacesStatements(db, selectPlacesLeftByMember(id, work.now), work.now)
		const { membershipUpdated, rsvpsPromoted } = await batch(db, {
			avatarPurged: replacedAvatar && purgeAvatars(db, replacedAvatar, work.now),
			endRecorded: ends
				? recordEventIfStatement(work, { type: 'member.left', ...draft }, hasStatus(sql`= 'active'`))
				: null,
			banRecorded:
				change.status === 'banned'
					? recordEventIfStatement(work, { type: 'member.banned', ...draft }, hasStatus(sql`<> 'banned'`))
					: null,
			restorationRecorded:
				change.status === 'active'
					? recordEventIfStatement(work, { type: 'member.joined', ...draft }, hasStatus(sql`<> 'active'`))
					: null,
			membershipUpdated: update,
			entryWritten: auditIfChangedStatement(work, {
				action: 'community_member.updated',
				orgId,
				target: memberTarget(id),
				details: {
					communityId,
					changed: Object.keys(change),
					...(change.role && { role: change.role }),
					...(change.status && { status: change.status }),
				},
			}),
			rsvpsPromoted: ends ? places.rsvpsPromoted : null,
			rsvpCountsUpdated: ends ? places.rsvpCountsUpdated : null,
			rsvpsDeleted: ends ? places.rsvpsDeleted : null,
			accessEnded: ends ? endAccessStatements(db, id) : null,
		})
		const [row] = membershipUpdated
		return row && { row, promoted: (rsvpsPromoted ?? []).map((rsvp) => rsvp.id) }
	},

	/**
	 * Deletes a membership and the rows that others see; ending.ts deletes the rest later. A managed person is marked for
	 * erasure (`erased`). Returns undefined if there is no such member.
	 */
	async remove(
		work: UnitOfWork,
		orgId: string,
		communityId: number,
		id: number,
		{ among, deleteContent }: { among: 'anyone' | 'plain members'; deleteContent: boolean },
	): Promise<{ promoted: number[]; erased: number[] } | undefined> {
		const which = isManaged(orgId, communityId, id, among)
		const isRemovable = sql`exists (select 1 from ${memberships} where ${which})`
		const userId = sql<number>`(select e.user_id from memberships e where e.id = ${id})`
		const payload = { communityId, memberId: id, userId, removedAt: work.now }
		const removal = { type: 'member.deleted' as const, orgId, payload }
		const leaving = { type: 'member.left' as const, orgId, payload: { communityId, memberId: id } }
		const isActive = sql`exists (select 1 from ${memberships} where ${which} and status = 'active')`
		const { rsvpsPromoted, removalRecorded, personMarked } = await batch(db, {
			...removalStatements(db, payload, isRemovable),
			entryWritten: auditIfStatement(
				work,
				{
					action: 'community_member.removed',
					orgId,
					target: memberTarget(id),
					details: { communityId },
				},
				isRemovable,
			),
			leavingRecorded: recordEventIfStatement(work, leaving, isActive),
			removalRecorded: recordEventIfStatement(work, removal, isRemovable).returning({
				one: sql<number>`1`,
			}),
			avatarPurged: purgeAvatars(db, sql`m.id = ${id} and ${isRemovable}`, work.now),
			personMarked: markForErasureStatement(
				db,
				sql`(select e.user_id from memberships e where e.id = ${id} and ${isRemovable})`,
				{ deleteContent, now: work.now },
			),
			membershipDeleted: db.delete(memberships).where(which),
			accessEnded: endAccessStatements(db, id),
		})
		if (removalRecorded.length === 0) return undefined
		return { promoted: rsvpsPromoted.map((rsvp) => rsvp.id), erased: personMarked.map((user) => user.id) }
	},
})
