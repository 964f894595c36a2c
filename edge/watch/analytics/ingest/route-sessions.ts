import { findShardAtLevel, type Shard } from '../sessions/shards/shards.ts'

const MAX_KNOWN = 1_000

/**
 * The split level of each video, as its objects last reported. Isolates without it send new sessions to the root, which is
 * also correct.
 */
const levels = new Map<string, number>()

export const newSessionShard = (playbackId: string, sessionId: string): Shard =>
	findShardAtLevel(sessionId, levels.get(playbackId) ?? 0)

export function rememberLevel(playbackId: string, level: number): void {
	if (level === 0) {
		levels.delete(playbackId)
		return
	}
	if (levels.size >= MAX_KNOWN) levels.clear()
	levels.set(playbackId, level)
}
