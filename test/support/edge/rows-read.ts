import { env } from 'cloudflare:workers'
import { type Db, d1Database } from '../../../edge/platform/database/database.ts'

/** Returns how many rows D1 reads for the statements of some work. Statements in a batch are not counted. */
export async function rowsReadBy(work: (db: Db) => Promise<unknown>): Promise<number> {
	let rows = 0
	const countIn = <Result extends D1Result>(result: Result): Result => {
		rows += result.meta.rows_read
		return result
	}
	const watch = (statement: D1PreparedStatement): D1PreparedStatement =>
		({
			bind: (...values: unknown[]) => watch(statement.bind(...values)),
			all: async () => countIn(await statement.all()),
			run: async () => countIn(await statement.run()),
			raw: async () => countIn(await statement.all<object>()).results.map((row) => Object.values(row)),
		}) as D1PreparedStatement
	const binding = {
		prepare: (sql: string) => watch((env.DB as D1Database).prepare(sql)),
	} as D1Database
	await work(d1Database(binding, () => undefined))
	return rows
}
