import { type Migration, readMigrations, rejectOldDatabase } from '../lib/migrations.ts'
import type { Control } from '../lib/runtime/control.ts'

// Same table as that of `wrangler d1 migrations`, so that both agree on what was applied.
const createTable = `CREATE TABLE IF NOT EXISTS d1_migrations(
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	name TEXT UNIQUE,
	applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`

/** Applies missing migrations in order and returns their names. */
export async function applyD1Migrations(
	{ query }: Pick<Control, 'query'>,
	migrations?: Migration[],
): Promise<string[]> {
	const [, rows = []] = await query({ sql: createTable }, { sql: 'SELECT name FROM d1_migrations' })
	const applied = new Set(rows.map(({ name }) => name))
	rejectOldDatabase(applied)
	const missing = (migrations ?? (await readMigrations())).filter(({ name }) => !applied.has(name))
	for (const { name, statements } of missing) {
		const insertName = { sql: 'INSERT INTO d1_migrations (name) VALUES (?)', values: [name] }
		// One transaction: a migration is applied and recorded, or neither.
		await query(...statements.map((sql) => ({ sql })), insertName)
	}
	return missing.map(({ name }) => name)
}
