import { and, asc, eq, ne, sql } from 'drizzle-orm'
import { memberships } from '#schema/tables/community.ts'
import { users } from '#schema/tables/identity.ts'
import type { Db } from '../../platform/database.ts'
import { recordEventIf, recordEventIfChanged } from '../../platform/outbox.ts'
import { endAccessStatements } from '../access/store.ts'
import { ownedBy } from '../communities/store.ts'
import { firstTellAt } from '../notifications/news.ts'

type Row = Omit<typeof memberships.$inferSelect, 'profile' | 'indexAt'>
export type MembershipRow = Row & { email: string; name: string }
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
	email: sql<string>`(select u.email from users u where u.id = memberships.user_id)`.as('email'),
	name: sql<string>`(select u.name from users u where u.id = memberships.user_id)`.as('name'),
}

/** Who is invited is no member yet: nothing is shown of them, and nobody else lets them in. */
const isJoined = ne(memberships.status, 'invited')

/** A member whom an organization manages. */
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

export const membershipStore = (db: Db) => ({
	async list(communityId: number, limit: number, position: readonly [number, string | number] | null) {
		return db
			.select({ ...columns, email: users.email, name: users.name })
			.from(memberships)
			.innerJoin(users, eq(users.id, memberships.userId))
			.where(
				and(
					eq(memberships.communityId, communityId),
					isJoined,
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
			.select({ ...columns, email: users.email, name: users.name })
			.from(memberships)
			.innerJoin(users, eq(users.id, memberships.userId))
			.where(isManaged(orgId, communityId, id))
		return row
	},

	/** Updates a membership. If that ends it, the same batch records the event and deletes the member's tokens. */
	async update(
		orgId: string,
		communityId: number,
		id: number,
		change: Change,
		now: number,
		among: 'anyone' | 'plain members',
	) {
		const it = isManaged(orgId, communityId, id, among)
		const update = db
			.update(memberships)
			.set({ ...change, updatedAt: now, indexAt: firstTellAt(now) })
			.where(it)
			.returning(withUser)
		if (change.status === undefined || change.status === 'active') return (await update)[0]
		const isIn = sql`exists (select 1 from ${memberships} where ${it} and status = 'active')`
		const type = change.status === 'banned' ? 'community.member_banned' : 'community.member_left'
		const [, rows] = await db.batch([
			recordEventIf(db, now, { type, orgId, payload: { communityId, memberId: id } }, isIn),
			update,
			...endAccessStatements(db, id),
		])
		return rows[0]
	},

	/** Out at once; the rest goes behind (ending.ts). */
	async remove(
		orgId: string,
		communityId: number,
		id: number,
		now: number,
		among: 'anyone' | 'plain members',
	): Promise<boolean> {
		const [rows] = await db.batch([
			db
				.update(memberships)
				.set({ status: 'inactive', updatedAt: now })
				.where(isManaged(orgId, communityId, id, among))
				.returning({ id: memberships.id }),
			recordEventIfChanged(db, now, {
				type: 'community.member_removed',
				orgId,
				payload: { communityId, memberId: id, removedAt: now },
			}),
			...endAccessStatements(db, id),
		])
		return rows.length === 1
	},
})
