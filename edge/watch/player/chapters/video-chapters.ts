import type { Chapter } from '#schema/contract/watch/player-page.ts'
import { readChapters } from '../../../ai/chapters/chapters.ts'
import type { Deps } from '../../../platform/deps.ts'
import { readCached, storeCached } from '../../../platform/network/edge-cache.ts'
import type { PlayableRow } from '../../../video/assets/store.ts'
import { parseDescribedChapters } from './described-chapters.ts'

/** Each version of the chapters has its own key, so entries never go stale. */
const CACHE_SECONDS = 3_600

/**
 * Returns the visible chapters. Edited chapters take precedence over a list in the description, and that over
 * generated chapters.
 */
export async function readVideoChapters(
	deps: Deps,
	row: Pick<
		PlayableRow,
		'chaptersKey' | 'chaptersEditedAt' | 'publicSettings' | 'description' | 'durationSec'
	>,
): Promise<Chapter[]> {
	if (!row.publicSettings.showChapters) return []
	const described = () => parseDescribedChapters(row.description, row.durationSec ?? 0)
	if (row.chaptersKey === null) return described()
	const isEdited = row.chaptersEditedAt !== null
	const listed = isEdited ? [] : described()
	return listed.length > 0 ? listed : readStored(deps, row.chaptersKey, row.durationSec ?? 0)
}

/** Popular videos are served from the cache. Each chapter lasts until the next one begins. */
async function readStored(deps: Deps, chaptersKey: string, durationSec: number): Promise<Chapter[]> {
	const cacheKey = `chapters-1/${chaptersKey}`
	const cached = await readCached<Chapter[]>(cacheKey)
	if (cached) return cached
	const stored = await readChapters(deps, chaptersKey)
	if (!stored) return []
	const chapters = stored.map(({ title, startTime, endTime }, at) => ({
		title,
		startSec: startTime,
		endSec: stored[at + 1]?.startTime ?? Math.min(endTime, durationSec),
	}))
	deps.defer(storeCached(cacheKey, chapters, CACHE_SECONDS))
	return chapters
}
