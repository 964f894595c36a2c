import { type Migration, readMigrations } from '../migrations.ts'
import type { Control } from './control.ts'

// The table that `wrangler d1 migrations` keeps, so that both agree on what has been applied.
const createTable = `CREATE TABLE IF NOT EXISTS d1_migrations(
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	name TEXT UNIQUE,
	applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`

/** Applies what is missing, in order, and returns the names. */
export async function applyD1Migrations(
	{ query }: Pick<Control, 'query'>,
	migrations?: Migration[],
): Promise<string[]> {
	const [, known = []] = await query({ sql: createTable }, { sql: 'SELECT name FROM d1_migrations' })
	const applied = new Set(known.map(({ name }) => name))
	const missing = (migrations ?? (await readMigrations())).filter(({ name }) => !applied.has(name))
	for (const { name, statements } of missing) {
		const remember = { sql: 'INSERT INTO d1_migrations (name) VALUES (?)', values: [name] }
		// One transaction: a migration is there in full, and remembered, or not at all.
		await query(...statements.map((sql) => ({ sql })), remember)
	}
	return missing.map(({ name }) => name)
}
