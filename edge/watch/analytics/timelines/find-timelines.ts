import { askShards } from '../sessions/shards/ask-shards.ts'
import { findShardAtLevel, type Shard } from '../sessions/shards/shards.ts'
import { type SessionTimeline, sortNewestFirst } from './session-timeline.ts'

/**
 * Returns time lines of one session, by its id, or of several, by the report id of their page. The id of a session says
 * in which shards it can be; a report id can be in all.
 */
export async function findTimelines(
	key: string,
	here: SessionTimeline[],
	shards: readonly Shard[],
	askShard: (shard: Shard) => Promise<SessionTimeline[]>,
): Promise<SessionTimeline[]> {
	const ofId = shards.filter(({ level, index }) => findShardAtLevel(key, level).index === index)
	let found = [...here, ...(await askShards(ofId, askShard)).flat()]
	if (!found.some(({ id }) => id === key)) {
		const others = shards.filter((shard) => !ofId.includes(shard))
		found = [...found, ...(await askShards(others, askShard)).flat()]
	}
	return sortNewestFirst(found)
}
