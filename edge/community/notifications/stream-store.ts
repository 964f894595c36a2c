import { and, desc, eq, sql } from 'drizzle-orm'
import { memberships } from '#schema/tables/community/community.ts'
import type { Db } from '../../platform/database/database.ts'
import type { OpenStream } from './streams.ts'

export const streamStore = (db: Db) => ({
	/** Returns the ids of streams whose session or grant has ended since they were opened. */
	async findEnded(open: readonly OpenStream[], now: number): Promise<string[]> {
		const of = (name: string) => sql.raw(`json_extract(j.value, '$.${name}')`)
		const rows = await db.all<{ id: string }>(sql`
			select ${of('id')} as id from json_each(${JSON.stringify(open)}) j
			where not exists (
				select 1 from sessions s
				cross join users u on u.id = s.user_id
				where ${of('access.by')} = 'session'
					and s.id = ${of('access.id')}
					and s.expires_at > ${now}
					and u.token_version = ${of('access.tokenVersion')}
				union all
				select 1 from member_grants g
				cross join memberships m on m.id = g.membership_id and m.status = 'active'
				cross join users u on u.id = m.user_id
				where ${of('access.by')} = 'grant'
					and g.id = ${of('access.id')}
					and g.expires_at > ${now}
					and g.access_version = ${of('access.version')}
					and u.token_version = ${of('access.tokenVersion')}
			)
		`)
		return rows.map(({ id }) => id)
	},

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
