import { type SQL, sql } from 'drizzle-orm'
import { rangeOfTier } from '../plan/ranks.ts'

/** Returns the condition for a row of `tasks` under the given alias. */
export function isInTier(task: string, rank: number): SQL {
	const [first, last] = rangeOfTier(rank)
	return sql`${sql.raw(task)}.rank between ${first} and ${last}`
}
