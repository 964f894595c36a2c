import { SECOND } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { getAsset } from '../../../video/assets/assets.ts'
import { requireSessions } from '../sessions/session-stub.ts'
import { ROOT } from '../sessions/shards/shards.ts'

export type LiveViewers = { viewers: number; at: number }

/** How often streams read a new count. */
export const COUNT_LIFE_MS = SECOND
const MAX_SHARED = 1_000
/** How long a stream waits for the first count that another stream reads. */
const WAIT = { times: 40, eachMs: 25 }
const MAX_READING_MS = 3 * SECOND

/** The state that the streams of this isolate share about a video. */
type SharedCount = { count: LiveViewers | null; readAt: number; readingSince: number }
const shared = new Map<string, SharedCount>()

export async function readLiveCount(deps: Deps, orgId: string, assetId: string): Promise<LiveViewers> {
	const { playbackId } = await getAsset(deps, orgId, assetId)
	return readViewers(deps, playbackId, deps.now)
}

/**
 * Returns the count for a stream. All streams of an isolate share one call per second: the first to find the count stale
 * reads it while the others use the stale count. They can't await its promise, because the runtime binds promises to the
 * request that created them.
 */
export async function readSharedLiveCount(deps: Deps, playbackId: string, now: number): Promise<LiveViewers> {
	const known = sharedOf(playbackId)
	// The work of a disconnected client's request may never finish.
	const isReading = () => performance.now() - known.readingSince < MAX_READING_MS
	for (let n = 0; n < WAIT.times && isReading() && !known.count; n++)
		await new Promise((resolve) => setTimeout(resolve, WAIT.eachMs))
	if (known.count && (isReading() || performance.now() - known.readAt < COUNT_LIFE_MS)) return known.count
	known.readingSince = performance.now()
	try {
		known.count = await readViewers(deps, playbackId, Math.max(now, known.count?.at ?? 0))
		known.readAt = performance.now()
		return known.count
	} finally {
		known.readingSince = Number.NEGATIVE_INFINITY
	}
}

function sharedOf(playbackId: string): SharedCount {
	const known = shared.get(playbackId)
	if (known) return known
	if (shared.size >= MAX_SHARED) shared.clear()
	const added = { count: null, readAt: 0, readingSince: Number.NEGATIVE_INFINITY }
	shared.set(playbackId, added)
	return added
}

async function readViewers({ env }: Deps, playbackId: string, now: number): Promise<LiveViewers> {
	return { viewers: await requireSessions(env, playbackId, ROOT).viewers(now), at: now }
}
