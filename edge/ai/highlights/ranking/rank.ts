import { DAY } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { PlayableRow } from '../../../video/assets/store.ts'
import { type HighlightRow, highlightStore } from '../store.ts'
import { computeRewatchDeviations } from './rewatch.ts'

const EACH_MS = DAY

const isDue = ({ editedAt, rankedAt, createdAt }: HighlightRow, now: number): boolean =>
	editedAt === null && (rankedAt ?? createdAt) <= now - EACH_MS

/** Ranks the highlights of a video by rewatching, at most once a day and on demand. Edited ones stay unchanged. */
export async function rankIfDue(
	deps: Deps,
	{ id, playbackId, durationSec }: Pick<PlayableRow, 'id' | 'playbackId' | 'durationSec'>,
	rows: readonly HighlightRow[],
): Promise<void> {
	const { db, now } = deps
	if (durationSec === null || !rows.some((row) => isDue(row, now))) return
	const claimed = await highlightStore(db).claimRanking(id, now, now - EACH_MS)
	if (claimed.length === 0) return
	const viewing = await deps.contributions.readRecentViewing(deps, { playbackId, durationSec })
	if (!viewing) return
	const deviations = computeRewatchDeviations(viewing, claimed)
	const ranked = claimed.map(({ id }, at) => ({ id, rewatch: deviations[at] ?? null }))
	await highlightStore(db).rank(id, ranked)
}
