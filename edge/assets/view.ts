import type { Asset, AssetSummary } from '#schema/contract/assets.ts'
import { iso } from '../platform/clock.ts'
import type { AssetRow } from './store.ts'

type Pictured = Pick<AssetRow, 'playbackId' | 'customThumbnailKey' | 'frameKey'>

/** Every picture has a key of its own, so its name tells one from the next; none has none. */
export function thumbnailUrl(base: string, { playbackId, customThumbnailKey, frameKey }: Pictured): string {
	const version = (customThumbnailKey ?? frameKey)?.replace(/^.*\//, '').replace(/\.\w+$/, '')
	return `${base}/v1/playback/${playbackId}/thumbnail${version ? `?v=${version}` : ''}`
}

export const viewThumbnail = (row: AssetRow, base: string) => ({
	thumbnailUrl: thumbnailUrl(base, row),
	hasCustomThumbnail: row.customThumbnailKey !== null,
})

/** `base`: where the API is reached. */
export const viewSummary = (row: AssetRow, base: string): AssetSummary => ({
	id: row.id,
	title: row.title,
	description: row.description,
	status: row.status,
	playbackId: row.playbackId,
	collectionId: row.collectionId,
	durationSec: row.durationSec ?? 0,
	...viewThumbnail(row, base),
	...(row.status === 'error' && { errorMessage: row.errorMessage ?? 'processing failed' }),
	metadata: row.metadata,
	publicSettings: row.publicSettings,
	createdAt: iso(row.createdAt),
	updatedAt: iso(row.updatedAt),
})

/** What comes of processing an asset; nothing came of one that never was. */
const unprocessed = { renditions: [], currentStep: null, job: null, aiJob: null, highlights: [] }

export const viewAsset = (row: AssetRow, base: string): Asset => ({
	...viewSummary(row, base),
	...unprocessed,
})
