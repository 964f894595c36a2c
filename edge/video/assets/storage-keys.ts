import { type SQL, sql } from 'drizzle-orm'
import { assets, type trashedAssets } from '#schema/tables/video/assets.ts'

/** The vault prefix of sources. Every object of an asset lies under one of its three prefixes. */
export const sourcePrefix = (assetId: string): string => `sources/${assetId}/`
/** The vault prefix of downloads, which are private like the source and served by presigned URL. */
export const downloadPrefix = (assetId: string): string => `downloads/${assetId}/`
/** The media prefix of everything that players fetch. */
export const mediaPrefix = (playbackId: string): string => `media/${playbackId}/`

/** The media prefix of custom thumbnails, which survive reprocessing. */
export const thumbnailFolder = (playbackId: string): string => `${mediaPrefix(playbackId)}thumbnails/`

/** Returns the asset id of a source prefix, or null for any other prefix. */
export const parseAssetId = (prefix: string): string | null =>
	/^sources\/([^/]+)\/$/.exec(prefix)?.[1] ?? null

/** Returns the playback id of the media prefix of an asset, or null for any other prefix. */
export const parsePlaybackId = (prefix: string): string | null =>
	/^media\/([^/]+)\/$/.exec(prefix)?.[1] ?? null

/** Returns a query for the bucket and prefix of everything stored for the assets that match `which`. */
export const selectAssetPrefixes = (
	which: SQL,
	table: typeof assets | typeof trashedAssets = assets,
): SQL => sql`
	select 'vault' as bucket, 'sources/' || ${table.id} || '/' as prefix from ${table} where ${which}
	union all select 'vault', 'downloads/' || ${table.id} || '/' from ${table} where ${which}
	union all select 'media', 'media/' || ${table.playbackId} || '/' from ${table} where ${which}`
