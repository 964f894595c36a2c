import { DAY, SECOND } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { Size } from '../../../platform/images/image-size.ts'
import { readImageSize } from '../../../platform/images/image-type.ts'
import { readCached, storeCached } from '../../../platform/network/edge-cache.ts'
import type { PlayableRow } from '../../../video/assets/store.ts'
import { thumbnailUrl } from '../../../video/assets/view.ts'

/** The frame header of a JPEG follows its color profile. */
const HEAD_BYTES = 64 * 1024
const CACHE_SECONDS = DAY / SECOND

/** The thumbnail of a video, for link previews. */
export type ShareImage = { url: string; size: Size | null }

type Pictured = Pick<PlayableRow, 'playbackId' | 'visibility' | 'customThumbnailKey' | 'frameKey'>

/** Returns null without an image, and for a signed video, whose image needs a token. */
export async function readShareImage(deps: Deps, row: Pictured, base: string): Promise<ShareImage | null> {
	const key = row.customThumbnailKey ?? row.frameKey
	if (key === null || row.visibility === 'signed') return null
	return { url: thumbnailUrl({ base, token: null }, row), size: await readSize(deps, key) }
}

/** Each image has its own key, so its size never changes. */
async function readSize({ objects, defer }: Deps, key: string): Promise<Size | null> {
	const cacheKey = `image-size-1/${key}`
	const cached = await readCached<Size>(cacheKey)
	if (cached) return cached
	const found = await objects.media.get(key, { range: { offset: 0, length: HEAD_BYTES } })
	if (found.state !== 'found') return null
	const size = readImageSize(await new Response(found.body).bytes())
	if (size) defer(storeCached(cacheKey, size, CACHE_SECONDS))
	return size
}
