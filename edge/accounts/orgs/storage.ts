import { type SQL, sql } from 'drizzle-orm'
import { type TierName, tiers } from '#schema/contract/accounts/tiers.ts'
import { orgs } from '#schema/tables/accounts/identity.ts'
import { assets, trashedAssets } from '#schema/tables/video/assets.ts'
import { directUploads } from '#schema/tables/video/direct-uploads.ts'
import type { Deps } from '../../platform/deps.ts'
import { planLimitError } from './limits.ts'
import { selectEffectiveTier } from './tiers/effective-tier.ts'

/** Returns the id of the organization whose prefix this is, or null for any other prefix. */
export const parseOrgId = (prefix: string): string | null => /^orgs\/([^/]+)\/$/.exec(prefix)?.[1] ?? null

/**
 * Selects bucket and prefix of the organizations that match `which`. Purging the prefix also deletes their data
 * outside the buckets.
 */
export const selectOrgPrefixes = (which: SQL): SQL =>
	sql`select 'vault' as bucket, 'orgs/' || ${orgs.id} || '/' as prefix from ${orgs} where ${which}`

/** Returns an SQL expression for the bytes of all sources and their media, including the trash. Indexes cover the sum. */
export const sumStoredBytes = (orgId: string): SQL<number> =>
	sql<number>`(${sumBytesIn(assets, orgId)} + ${sumBytesIn(trashedAssets, orgId)})`

const sumBytesIn = (table: typeof assets | typeof trashedAssets, orgId: string): SQL =>
	sql`(
		select coalesce(sum(coalesce(stored.source_size_bytes, 0) + stored.media_bytes), 0)
		from ${table} as stored
		where stored.org_id = ${orgId}
	)`

/** The bytes of waiting direct uploads whose file has begun. An index covers the sum. */
const sumAnnouncedBytes = (orgId: string): SQL =>
	sql`(
		select coalesce(sum(waiting.announced_bytes), 0) from ${directUploads} as waiting
		where waiting.org_id = ${orgId} and waiting.status = 'waiting' and waiting.announced_bytes is not null
	)`

const allowed = Object.entries(tiers).map(
	([tier, { storageBytes }]) => sql`when ${tier} then ${storageBytes}`,
)

const allowance = (orgId: string, now: number) =>
	sql<number | null>`(
		select case ${selectEffectiveTier('payer', now)} ${sql.join(allowed, sql` `)} end from ${orgs} as payer
		where payer.id = ${orgId}
	)`

/** Returns a condition that holds if the tier of the organization allows this many more bytes when the statement runs. */
export function hasStorageRoom(orgId: string, bytes: number, now: number): SQL {
	const most = allowance(orgId, now)
	return sql`(${most} is null or ${sumStoredBytes(orgId)} + ${bytes} <= ${most})`
}

/** Like `hasStorageRoom`, for a new upload: the announced sizes of waiting direct uploads count as well. */
export function hasUploadRoom(orgId: string, bytes: number | SQL, now: number): SQL {
	const most = allowance(orgId, now)
	return sql`(${most} is null or ${sumStoredBytes(orgId)} + ${sumAnnouncedBytes(orgId)} + ${bytes} <= ${most})`
}

/** Returns how many more bytes the tier allows, or null if it has no limit. Throws if it allows none. */
export async function requireAnyStorage(
	{ db, now }: Pick<Deps, 'db' | 'now'>,
	orgId: string,
): Promise<number | null> {
	const [row] = await db.all<{ tier: TierName; room: number | null }>(
		sql`
			select ${selectEffectiveTier('orgs', now)} as tier, ${allowance(orgId, now)} - ${sumStoredBytes(orgId)} as room
			from ${orgs}
			where ${orgs.id} = ${orgId}
		`,
	)
	if (!row || row.room === null) return null
	if (row.room < 1) throw planLimitError(row.tier, 'storageBytes')
	return row.room
}

/**
 * Throws if the tier has no room for this many bytes, so that an upload is rejected before any data is sent. For bytes
 * that are already stored, pass `hasStorageRoom`, which ignores announced sizes.
 */
export async function requireStorage(
	{ db, now }: Pick<Deps, 'db' | 'now'>,
	orgId: string,
	bytes: number,
	hasRoom: typeof hasStorageRoom = hasUploadRoom,
): Promise<void> {
	const [full] = await db.all<{ tier: TierName }>(
		sql`
			select ${selectEffectiveTier('orgs', now)} as tier from ${orgs}
			where ${orgs.id} = ${orgId} and not ${hasRoom(orgId, bytes, now)}
		`,
	)
	if (full) throw planLimitError(full.tier, 'storageBytes')
}
