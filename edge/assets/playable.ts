import type { Deps } from '../platform/deps.ts'
import { forgetCached, keepCached, readCached } from '../platform/edge-cache.ts'
import { assetStore, type PlayableRow } from './store.ts'

/** How long another location may still show what was changed here. */
const KEPT_SECONDS = 60

/** Named anew when the row gets another field: what was kept before that has none. */
const keyOf = (playbackId: string) => `playable-2/${playbackId}`

/** An asset that is ready, for whoever has its playback id. A video that many watch costs no SQL. */
export async function findPlayable(deps: Deps, playbackId: string): Promise<PlayableRow | null> {
	const kept = await readCached<PlayableRow>(keyOf(playbackId))
	if (kept) return kept
	const row = await assetStore(deps.db).findPlayable(playbackId)
	if (!row) return null
	deps.defer(keepCached(keyOf(playbackId), row, KEPT_SECONDS))
	return row
}

/** After every change of what a viewer sees, and before it is answered: who changed it sees it changed. */
export const forgetPlayable = (playbackId: string): Promise<void> => forgetCached(keyOf(playbackId))
