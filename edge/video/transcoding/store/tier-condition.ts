import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { computeTierRange, kindsAfterJob, tiers } from '../plan/ranks.ts'

/** Returns the condition for a row of `tasks` under the given alias. */
export function isInTier(task: string, rank: number): SQL {
	const [first, last] = computeTierRange(rank)
	return sql`${sql.raw(task)}.rank between ${first} and ${last}`
}

/** Returns the condition that a task with this rank is needed for playback. */
export function isForPlaybackRank(rank: SQLWrapper): SQL {
	const [first, last] = computeTierRange(tiers.playable)
	return sql`${rank} between ${first} and ${last}`
}

/** Returns the condition that the job waits for a row of `tasks` under the given alias. */
export const isOfJob = (task: string): SQL =>
	sql.raw(`${task}.kind not in (${kindsAfterJob.map((kind) => `'${kind}'`).join(', ')})`)
