import type { Asset, AssetSummary } from '#schema/contract/assets.ts'
import { iso } from '../platform/clock.ts'
import { addressAt } from '../platform/header-values.ts'
import type { Processing } from '../transcoding/processing-store.ts'
import { viewProcessing } from '../transcoding/processing-view.ts'
import { audioConfigOf } from './assets.ts'
import type { AssetRow } from './store.ts'

/** Where the API is reached, and what opens the pictures of an asset that is signed. */
export type Place = { base: string; token: string | null }

type Pictured = Pick<AssetRow, 'playbackId' | 'customThumbnailKey' | 'frameKey'>

/**
 * Every picture has a key of its own, of which the end tells one from the next: its name where somebody chose it, its
 * folder where it was made of the video.
 */
export function thumbnailUrl({ base, token }: Place, { playbackId, customThumbnailKey, frameKey }: Pictured) {
	const version = /([\w-]+)\/([\w-]+)\.\w+$/
		.exec(customThumbnailKey ?? frameKey ?? '')
		?.slice(1)
		.join('-')
	const query = { ...(version && { v: version }), ...(token && { token }) }
	return addressAt(base, ['v1', 'playback', playbackId, 'thumbnail'], query)
}

export const viewThumbnail = (row: AssetRow, place: Place) => ({
	thumbnailUrl: thumbnailUrl(place, row),
	hasCustomThumbnail: row.customThumbnailKey !== null,
})

export const viewSummary = (row: AssetRow, place: Place): AssetSummary => ({
	id: row.id,
	title: row.title,
	description: row.description,
	status: row.status,
	playbackId: row.playbackId,
	collectionId: row.collectionId,
	durationSec: row.durationSec ?? 0,
	...viewThumbnail(row, place),
	...(row.status === 'error' && { errorMessage: row.errorMessage ?? 'processing failed' }),
	visibility: row.visibility,
	metadata: row.metadata,
	publicSettings: row.publicSettings,
	createdAt: iso(row.createdAt),
	updatedAt: iso(row.updatedAt),
})

export const viewAsset = (
	row: AssetRow,
	place: Place,
	processing: Processing | null,
	now: number,
): Asset => ({
	...viewSummary(row, place),
	...viewProcessing(processing, now),
	aiJob: null,
	highlights: [],
	audioConfig: audioConfigOf(row),
})
