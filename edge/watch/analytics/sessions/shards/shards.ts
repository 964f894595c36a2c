import { hashText } from '../../../../platform/hash-text.ts'

/** The sessions of a video are kept by one object, or by 2^level objects while many people watch. */
export type Shard = { level: number; index: number }

export const ROOT: Shard = { level: 0, index: 0 }
const MAX_LEVEL = 10
/** What one object should have to do. */
const MAX_VIEWERS = 5_000
const MAX_STARTS_PER_SECOND = 200

/** Names the object of a shard. */
export const formatObjectName = (playbackId: string, { level, index }: Shard): string =>
	`${playbackId}.${level}.${index}`

export const isRoot = ({ level }: Shard): boolean => level === 0

export function findShardAtLevel(sessionId: string, level: number): Shard {
	return { level, index: level === 0 ? 0 : hashText(sessionId) >>> (32 - level) }
}

/** Returns the shards in which a session can be. */
export const listPossibleShards = (sessionId: string, highestLevel: number): Shard[] =>
	Array.from({ length: highestLevel }, (_, k) => findShardAtLevel(sessionId, k + 1))

/** Returns the number of splits that a video needs. */
export function chooseLevel({
	viewers,
	startsPerSecond,
}: {
	viewers: number
	startsPerSecond: number
}): number {
	const shards = Math.max(1, viewers / MAX_VIEWERS, startsPerSecond / MAX_STARTS_PER_SECOND)
	return Math.min(MAX_LEVEL, Math.ceil(Math.log2(shards)))
}
