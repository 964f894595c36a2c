import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** One file of schema/migrations. Its name is what the table `d1_migrations` remembers, as wrangler writes it. */
export type Migration = { name: string; statements: string[] }

export const migrationsDirectory = join(import.meta.dirname, '..', 'schema', 'migrations')

/** In the journal's order, which is the order they were made in; file names alone would not say. */
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

// drizzle-kit marks the ends itself: semicolons also stand inside triggers and strings.
function splitStatements(sql: string): string[] {
	return sql
		.split('--> statement-breakpoint')
		.map((statement) => statement.trim())
		.filter(Boolean)
}
