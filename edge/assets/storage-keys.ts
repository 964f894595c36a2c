import type { BucketName } from '../platform/object-storage.ts'

/** Where things of an asset are stored. Whatever belongs to one lies under one of its two prefixes. */
export const sourcePrefix = (assetId: string): string => `sources/${assetId}/`
export const mediaPrefix = (playbackId: string): string => `media/${playbackId}/`

/** The asset whose sources lie there; null for any other place. */
export const assetIdIn = (prefix: string): string | null => /^sources\/([^/]+)\/$/.exec(prefix)?.[1] ?? null

export const prefixesOf = (asset: { id: string; playbackId: string }): [BucketName, string][] => [
	['vault', sourcePrefix(asset.id)],
	['media', mediaPrefix(asset.playbackId)],
]
