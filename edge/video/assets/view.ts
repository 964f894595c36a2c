import type { ImageWidth } from '#schema/contract/kit/queries/image-width.ts'
import type { Asset, AssetSummary } from '#schema/contract/video/assets.ts'
import { toIso } from '../../platform/clock.ts'
import { buildUrl } from '../../platform/network/header-values.ts'
import { resolveAudioConfig } from './assets.ts'
import { buildEmbedUrl, buildWatchUrl } from './playable/player-pages.ts'
import type { AssetProcessing } from './processing.ts'
import type { AssetRow } from './store.ts'

/** What a summary has besides the row of the asset. */
export type SummaryDetails = Pick<AssetSummary, 'progress' | 'captions' | 'views'>

/** The base URL of the API, and the token for thumbnails of a signed asset. */
export type LinkContext = { base: string; token: string | null }

/** Also has the base URL of the pages with the player. */
export type AssetLinkContext = LinkContext & { playerBase: string }

type ThumbnailKeys = Pick<AssetRow, 'playbackId' | 'customThumbnailKey' | 'frameKey'>

/**
 * Returns a URL with a version, so that it can be cached. The version comes from the end of the object key: the file
 * name differs for each custom thumbnail, the folder for each frame of the video.
 */
export function thumbnailUrl(
	{ base, token }: LinkContext,
	{ playbackId, customThumbnailKey, frameKey }: ThumbnailKeys,
	width?: ImageWidth,
) {
	const [folder, file] = (customThumbnailKey ?? frameKey ?? '').split('/').slice(-2)
	const version = file === undefined ? null : `${folder}-${file.slice(0, file.lastIndexOf('.'))}`
	const query = {
		...(version && { v: version }),
		...(width && { w: String(width) }),
		...(token && { token }),
	}
	return buildUrl(base, ['v1', 'playback', playbackId, 'thumbnail'], query)
}

export const viewThumbnail = (row: AssetRow, urls: LinkContext) => ({
	thumbnailUrl: thumbnailUrl(urls, row),
	hasCustomThumbnail: row.customThumbnailKey !== null,
	thumbnailFrame: row.thumbnailFrame && {
		atSec: row.thumbnailFrame.atSec,
		status: row.thumbnailFrame.status,
	},
})

const viewRow = (row: AssetRow, urls: AssetLinkContext) => ({
	id: row.id,
	title: row.title,
	description: row.description,
	status: row.status,
	playbackId: row.playbackId,
	collectionId: row.collectionId,
	durationSec: row.durationSec ?? 0,
	width: row.width,
	height: row.height,
	sourceSizeBytes: row.sourceSizeBytes,
	...viewThumbnail(row, urls),
	placeholder: row.placeholder,
	watchUrl: buildWatchUrl(urls.playerBase, row.playbackId),
	embedUrl: buildEmbedUrl(urls.playerBase, row.playbackId),
	...(row.status === 'error' && { errorMessage: row.errorMessage ?? 'processing failed' }),
	visibility: row.visibility,
	metadata: row.metadata,
	publicSettings: row.publicSettings,
	createdAt: toIso(row.createdAt),
	updatedAt: toIso(row.updatedAt),
})

/** As wide as a card in a list. */
const SMALL_WIDTH = 320

export const viewSummary = (
	row: AssetRow,
	urls: AssetLinkContext,
	details: SummaryDetails,
): AssetSummary => ({
	...viewRow(row, urls),
	thumbnailSmallUrl: thumbnailUrl(urls, row, SMALL_WIDTH),
	...details,
})

export const viewAsset = (
	row: AssetRow,
	urls: AssetLinkContext,
	processing: Awaited<ReturnType<AssetProcessing['view']>>,
): Asset => ({
	...viewRow(row, urls),
	...processing,
	audioConfig: resolveAudioConfig(row),
})
