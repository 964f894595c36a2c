import type { Shard } from './shards.ts'

const AT_ONCE = 50

/** Calls other objects of a video, 50 at a time, as it may have two thousand. */
export async function askShards<T>(
	shards: readonly Shard[],
	ask: (shard: Shard) => Promise<T>,
): Promise<T[]> {
	const answers: T[] = []
	for (let at = 0; at < shards.length; at += AT_ONCE)
		answers.push(...(await Promise.all(shards.slice(at, at + AT_ONCE).map(ask))))
	return answers
}
