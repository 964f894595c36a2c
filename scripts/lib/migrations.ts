import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartFailure } from './installation/failure.ts'

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

/** The second of the 32 migrations that became `0000_init` before the first release. */
const SQUASHED_MIGRATION = '0001_webhooks-and-settings.sql'

/** Throws if a database was made before the first release: its tables can't be migrated. */
export function rejectOldDatabase(applied: Iterable<unknown>): void {
	if (![...applied].includes(SQUASHED_MIGRATION)) return
	throw new StartFailure(
		[
			'This database was made by a commit before the first release, whose tables it lacks.',
			'To keep something, check that commit out, start it, and export: GET /api/users/account/export/ for an account, GET /v1/assets/{id}/download for a video.',
			'To begin again, start with an empty database: set DATA_DIR to another folder, or LIBSQL_URL to another database.',
		].join('\n'),
	)
}

// Split at drizzle-kit's markers, because triggers and strings contain semicolons.
function splitStatements(sql: string): string[] {
	return sql
		.split('--> statement-breakpoint')
		.map((statement) => statement.trim())
		.filter(Boolean)
}
