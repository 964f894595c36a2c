import { type SQL, sql } from 'drizzle-orm'
import { type TierName, tiers } from '#schema/contract/platform/tiers.ts'
import { assets } from '#schema/tables/assets.ts'
import { orgs } from '#schema/tables/identity.ts'
import type { Deps } from '../platform/deps.ts'
import { planLimitError } from './limits.ts'

/** Sources, and what processing made of them; read from one index. */
export const storedBytes = (orgId: string): SQL<number> =>
	sql<number>`(select coalesce(sum(coalesce(stored.source_size_bytes, 0) + stored.media_bytes), 0) from ${assets} as stored where stored.org_id = ${orgId})`

const allowed = Object.entries(tiers).map(
	([tier, { storageBytes }]) => sql`when ${tier} then ${storageBytes}`,
)

const allowance = (orgId: string) =>
	sql<
		number | null
	>`(select case payer.tier ${sql.join(allowed, sql` `)} end from ${orgs} as payer where payer.id = ${orgId})`

/** For the `where` of a statement: so many bytes more are within the tier of the organization at that moment. */
export function hasRoom(orgId: string, bytes: number): SQL {
	const most = allowance(orgId)
	return sql`(${most} is null or ${storedBytes(orgId)} + ${bytes} <= ${most})`
}

/** How many bytes more are within the tier; null where it has no limit. Refuses where there is room for none. */
export async function requireSomeRoom({ db }: Pick<Deps, 'db'>, orgId: string): Promise<number | null> {
	const [row] = await db.all<{ tier: TierName; room: number | null }>(
		sql`select tier, ${allowance(orgId)} - ${storedBytes(orgId)} as room from ${orgs} where ${orgs.id} = ${orgId}`,
	)
	if (!row || row.room === null) return null
	if (row.room < 1) throw planLimitError(row.tier, 'storageBytes')
	return row.room
}

/** Before anything is sent: what would be refused in the end is refused at once. */
export async function requireRoom({ db }: Deps, orgId: string, bytes: number): Promise<void> {
	const [full] = await db.all<{ tier: TierName }>(
		sql`select tier from ${orgs} where ${orgs.id} = ${orgId} and not ${hasRoom(orgId, bytes)}`,
	)
	if (full) throw planLimitError(full.tier, 'storageBytes')
}
