import { findShardAtLevel, type Shard } from '../sessions/shards/shards.ts'

const MAX_KNOWN = 1_000

/**
 * How often the sessions of videos are split, as their objects last said. In an isolate that does not know it yet, new
 * sessions begin at the root, which is right too.
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
