import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** One file of schema/migrations; the table `d1_migrations` stores its name, as wrangler does. */
export type Migration = { name: string; statements: string[] }

export const migrationsDirectory = join(import.meta.dirname, '..', '..', 'schema', 'migrations')

/** Reads the migrations in the order of the journal; file names alone do not define it. */
export async function readMigrations(directory = migrationsDirectory): Promise<Migration[]> {
	const journal: { entries: { idx: number; tag: string }[] } = JSON.parse(
		await readFile(join(directory, 'meta', '_journal.json'), 'utf8'),
	)
	const entries = journal.entries.toSorted((a, b) => a.idx - b.idx)
	return Promise.all(
		entries.map(async ({ tag }) => {
			const name = `${tag}.sql`
			return { name, statements: splitStatements(await readFile(join(directory, name), 'utf8')) }
		}),
	)
}

// Split at drizzle-kit's markers, because triggers and strings contain semicolons.
function splitStatements(sql: string): string[] {
	return sql
		.split('--> statement-breakpoint')
		.map((statement) => statement.trim())
		.filter(Boolean)
}
