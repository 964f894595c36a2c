import { addExactly } from './exact.ts'

/** Keys may come from outside, so records are read and built only with methods that treat `__proto__` as any key. */
export type Records<T> = Record<string, T>

/** Adds two records key by key. */
export function mergeRecords<T>(a: Records<T>, b: Records<T>, add: (a: T, b: T) => T): Records<T> {
	const merged = new Map(Object.entries(a))
	for (const [key, value] of Object.entries(b)) {
		const present = merged.get(key)
		merged.set(key, present === undefined ? value : add(present, value))
	}
	return toSortedRecord(merged)
}

/** Adds two records of numbers key by key. */
export const addAmounts = (a: Records<number>, b: Records<number>): Records<number> =>
	mergeRecords(a, b, addExactly)

/** Renames the keys of amounts, and adds up amounts that get the same key. */
export const renameKeys = (amounts: Records<number>, rename: (key: string) => string): Records<number> =>
	Object.entries(amounts).reduce<Records<number>>(
		(renamed, [key, amount]) => addAmounts(renamed, { [rename(key)]: amount }),
		{},
	)

export const mapRecord = <T>(record: Records<T>, change: (value: T) => T): Records<T> =>
	Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))

/** Sorts keys, so that the same content has the same JSON. `Object.fromEntries` defines own properties; an assignment to `record[key]` would set the prototype. */
export const toSortedRecord = <T>(entries: Map<string, T>): Records<T> =>
	Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))

/** Stands for all keys that did not fit. */
const OTHER = 'other'

/**
 * Limits a record to a number of keys. The largest values stay and all others are added up as `other`, so the total
 * does not change.
 */
export function boundRecord<T>(
	record: Records<T>,
	maxKeys: number,
	add: (a: T, b: T) => T,
	compare: (a: T, b: T) => number,
): Records<T> {
	const entries = Object.entries(record)
	if (entries.length <= maxKeys) return record
	const byRank = entries.toSorted(([aKey, a], [bKey, b]) => compare(b, a) || (aKey < bKey ? -1 : 1))
	const kept = byRank.filter(([key]) => key !== OTHER).slice(0, maxKeys - 1)
	const keptKeys = new Set(kept.map(([key]) => key))
	const rest = entries.flatMap(([key, value]) => (keptKeys.has(key) ? [] : [value]))
	return toSortedRecord(new Map([...kept, [OTHER, rest.reduce(add)]]))
}
