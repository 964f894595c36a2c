import { sql } from 'drizzle-orm'
import type { Db } from '../../platform/database/database.ts'

export const listingStore = (db: Db) => ({
	/**
	 * Finds whether organizations or communities list an origin. A verified custom domain counts as listed by its community.
	 */
	async find(origin: string): Promise<{ byOrg: boolean; byCommunity: boolean }> {
		const host = origin.startsWith('https://') ? origin.slice('https://'.length) : null
		const [row] = await db.all<{ byOrg: number; byCommunity: number }>(sql`
			select
				exists (
					select 1 from allowed_origins where origin = ${origin} and community_id is null
				) as byOrg,
				exists (
					select 1 from allowed_origins a
					join communities c on c.id = a.community_id
					where a.origin = ${origin}
				)
				or exists (
					select 1 from communities
					where custom_domain = ${host} and domain_verified_at is not null
				) as byCommunity
		`)
		return { byOrg: row?.byOrg === 1, byCommunity: row?.byCommunity === 1 }
	},
})
