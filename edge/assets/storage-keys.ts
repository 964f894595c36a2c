import { type SQL, sql } from 'drizzle-orm'
import { assets } from '#schema/tables/assets.ts'

/** Where things of an asset are stored. Whatever belongs to one lies under one of its three prefixes. */
export const sourcePrefix = (assetId: string): string => `sources/${assetId}/`
/** Made of the source, and for whoever is given an address only: the vault, like the source itself. */
export const downloadPrefix = (assetId: string): string => `downloads/${assetId}/`
/** What players fetch: the media bucket. */
export const mediaPrefix = (playbackId: string): string => `media/${playbackId}/`

/** The asset whose sources lie there; null for any other place. */
export const assetIdIn = (prefix: string): string | null => /^sources\/([^/]+)\/$/.exec(prefix)?.[1] ?? null

/** The prefixes above as a query for rows of bucket and prefix, of all assets that `which` holds for. */
export const storedAt = (which: SQL): SQL => sql`
	select 'vault' as bucket, 'sources/' || ${assets.id} || '/' as prefix from ${assets} where ${which}
	union all select 'vault', 'downloads/' || ${assets.id} || '/' from ${assets} where ${which}
	union all select 'media', 'media/' || ${assets.playbackId} || '/' from ${assets} where ${which}`
