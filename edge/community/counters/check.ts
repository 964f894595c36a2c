import type { Db } from '../../platform/database/database.ts'
import { allCounters, type Counter, counterStore } from './store.ts'

export const counterNames: readonly Counter[] = allCounters

/** Counts the wrong counters among the next rows of a table. Returns null at its end. Repairs nothing. */
export async function checkCounters(
	db: Db,
	counter: Counter,
	afterRowid: number,
): Promise<{ end: number; wrong: number } | null> {
	const store = counterStore(db)
	const end = await store.findEndAfter(counter, afterRowid)
	return end === null ? null : { end, wrong: await store.countWrong(counter, afterRowid, end) }
}
