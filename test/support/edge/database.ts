import { env } from 'cloudflare:workers'
import type { Db } from '../../../edge/platform/database/database.ts'
import type { Bindings } from '../../../edge/platform/env.ts'
import { emptyDatabase } from './empty-runtime.ts'

/** Gives the Worker an empty database: D1, or libSQL if the tests run on it. */
export async function openDatabase(bindings: Bindings): Promise<void> {
	if (env.LIBSQL_BASE) {
		// The server creates the database with all tables at its first request.
		bindings.LIBSQL_URL = `${env.LIBSQL_BASE}/${crypto.randomUUID()}/`
		delete bindings.DB
		return
	}
	await emptyDatabase()
}

/** Returns every row of every table, except those that reading itself writes. */
export async function dumpTables(db: Db): Promise<Record<string, unknown[] | undefined>> {
	const tables = await db.all<{ name: string }>(
		"select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like '_cf_%' and name not in ('attempts', 'idempotency_keys')",
	)
	const rows = await Promise.all(tables.map(({ name }) => db.all(`select * from ${name}`)))
	return Object.fromEntries(tables.map(({ name }, i) => [name, rows[i]]))
}

export async function explainQuery(db: Db, sql: string): Promise<string[]> {
	// The plan does not depend on the values.
	const filled = sql.replaceAll(/\?\d*/g, 'null')
	const lines = await db.all<{ detail: string }>(`explain query plan ${filled}`)
	return lines.map(({ detail }) => detail)
}
