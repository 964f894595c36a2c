import type { VideoChapter } from '#schema/contract/ai/chapters.ts'
import { randomBase62 } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import { deleteCachedPlayable } from '../../video/assets/playable/playable.ts'
import { mediaPrefix } from '../../video/assets/storage-keys.ts'
import type { AssetRow } from '../../video/assets/store.ts'
import { type ChaptersVersion, chapterStore } from './store.ts'

/**
 * Stores chapters as a new file and assigns them to the asset, unless another request was faster. Deletes the file
 * that is not used, and returns null if another request was faster.
 */
export async function storeVersion(
	deps: Deps,
	asset: AssetRow,
	chapters: readonly VideoChapter[],
	origin: Omit<ChaptersVersion, 'chaptersKey'>,
): Promise<ChaptersVersion | null> {
	const { media } = deps.objects
	const chaptersKey =
		chapters.length === 0 ? null : `${mediaPrefix(asset.playbackId)}chapters/${randomBase62(16)}.json`
	if (chaptersKey !== null)
		await media.put(chaptersKey, JSON.stringify({ chapters }), { contentType: 'application/json' })
	const version = { ...origin, chaptersKey }
	const isReplaced = await chapterStore(deps.db).replace(asset, version, deps.now)
	const unused = isReplaced ? asset.chaptersKey : chaptersKey
	if (unused !== null) await media.delete([unused])
	if (!isReplaced) return null
	await deleteCachedPlayable(asset.playbackId)
	return version
}
