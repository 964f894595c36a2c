import type { BatchItem } from 'drizzle-orm/batch'
import type { Db } from './database.ts'

type Statement = BatchItem<'sqlite'>
/** A list is one step of several statements; null omits the step. */
type NamedStatements = Readonly<Record<string, Statement | readonly Statement[] | null>>

type ResultOf<S> = S extends Statement
	? S['_']['result']
	: S extends readonly Statement[]
		? S[number]['_']['result'][]
		: undefined
type NamedResults<T extends NamedStatements> = { [Name in keyof T]: ResultOf<T[Name]> }

/**
 * Runs statements as one transaction, in the written order, and returns their results by name ("jobFailed"). The
 * result is undefined for null, and an array for a list.
 */
export async function batch<const T extends NamedStatements>(
	db: Db,
	statements: T,
): Promise<NamedResults<T>> {
	const [first, ...rest]: Statement[] = Object.values(statements).flatMap((each) => [each ?? []].flat())
	const results: readonly unknown[] = first ? await db.batch([first, ...rest]) : []
	let next = 0
	const named = Object.entries(statements).map(([name, each]) => {
		if (!each) return [name, undefined]
		if (!Array.isArray(each)) return [name, results[next++]]
		next += each.length
		return [name, results.slice(next - each.length, next)]
	})
	return Object.fromEntries(named)
}
