import { desc, sql } from 'drizzle-orm'
import { pointTransactions } from '#schema/tables/community/content.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import type { Position } from '../../platform/database/keyset.ts'
import { ownedBy } from '../communities/store.ts'

export type PointRow = {
	id: number
	memberId: number | null
	points: number
	reason: string
	createdAt: number
}

export type PointAward = { memberId: number; points: number; reason: string }

const columns = {
	id: pointTransactions.id,
	memberId: sql<number | null>`(
		select m.id from memberships m
		where m.community_id = point_transactions.community_id and m.user_id = point_transactions.user_id
	)`.as('member_id'),
	points: pointTransactions.points,
	reason: pointTransactions.reason,
	createdAt: pointTransactions.createdAt,
}

export const pointStore = (db: Db) => ({
	/** Returns undefined unless the member belongs to this community of the organization. */
	async insert(
		orgId: string,
		communityId: number,
		award: PointAward,
		awardedBy: number | null,
		now: number,
	): Promise<PointRow | undefined> {
		const [row] = await insertSelect(
			db,
			pointTransactions,
			{
				communityId: sql`m.community_id`,
				userId: sql`m.user_id`,
				points: award.points,
				reason: award.reason,
				awardedByUserId: awardedBy,
				createdAt: now,
			},
			sql`
				from memberships m
				where m.id = ${award.memberId} and m.community_id = ${communityId} and ${ownedBy(orgId, communityId)}
			`,
		).returning(columns)
		return row
	},

	async list(communityId: number, limit: number, position: Position | null): Promise<PointRow[]> {
		const after = position ? sql`and (created_at, id) < (${position[0]}, ${position[1]})` : sql``
		return db
			.select(columns)
			.from(pointTransactions)
			.where(sql`community_id = ${communityId} ${after}`)
			.orderBy(desc(pointTransactions.createdAt), desc(pointTransactions.id))
			.limit(limit + 1)
	},

	/** Returns undefined unless the member belongs to this community of the organization. */
	async findBalance(orgId: string, communityId: number, memberId: number): Promise<number | undefined> {
		const [row] = await db.all<{ balance: number }>(
			sql`
				select (
					select coalesce(sum(t.points), 0) from point_transactions t
					where t.user_id = m.user_id and t.community_id = m.community_id
				) as balance
				from memberships m
				where m.id = ${memberId} and m.community_id = ${communityId} and ${ownedBy(orgId, communityId)}
			`,
		)
		return row?.balance
	},
})
