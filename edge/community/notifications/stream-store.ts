import { and, desc, eq, sql } from 'drizzle-orm'
import { memberships } from '#schema/tables/community/community.ts'
import type { Db } from '../../platform/database/database.ts'

export const streamStore = (db: Db) => ({
	/** Lists the communities of an organization if it is fully suspended. */
	async listSuspendedCommunities(orgId: string): Promise<number[]> {
		const rows = await db.all<{ id: number }>(
			sql`
				select c.id from communities c
				cross join orgs o on o.id = c.org_id
				where c.org_id = ${orgId} and o.suspended_at is not null
			`,
		)
		return rows.map(({ id }) => id)
	},

	/** Lists the active memberships of a user, newest community first. */
	async listMemberships(userId: number, limit: number) {
		return db
			.select({ communityId: memberships.communityId, membershipId: memberships.id })
			.from(memberships)
			.where(and(eq(memberships.userId, userId), eq(memberships.status, 'active')))
			.orderBy(desc(memberships.communityId))
			.limit(limit)
	},
})
