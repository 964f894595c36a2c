import { sql } from 'drizzle-orm'
import type { Db } from '../../platform/database/database.ts'

export const listingStore = (db: Db) => ({
	/**
	 * Finds whether organizations or communities list an origin. A verified custom domain counts as listed by its community.
	 * Lists of suspended organizations count for nothing.
	 */
	async find(origin: string): Promise<{ byOrg: boolean; byCommunity: boolean }> {
		const host = origin.startsWith('https://') ? origin.slice('https://'.length) : null
		const [row] = await db.all<{ byOrg: number; byCommunity: number }>(sql`
			select
				exists (
					select 1 from allowed_origins a
					join orgs o on o.id = a.org_id and o.suspended_at is null
					where a.origin = ${origin} and a.community_id is null
				) as byOrg,
				exists (
					select 1 from allowed_origins a
					join communities c on c.id = a.community_id
					join orgs o on o.id = c.org_id and o.suspended_at is null
					where a.origin = ${origin}
				)
				or exists (
					select 1 from communities c
					join orgs o on o.id = c.org_id and o.suspended_at is null
					where c.custom_domain = ${host} and c.domain_verified_at is not null
				) as byCommunity
		`)
		return { byOrg: row?.byOrg === 1, byCommunity: row?.byCommunity === 1 }
	},
})
