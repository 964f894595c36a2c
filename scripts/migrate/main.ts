import { type Client, createClient, LibsqlError } from '@libsql/client'
import { readSecretFiles } from '../../transcoder-daemon/secret-files.ts'
import { parseOptions } from '../lib/command-options.ts'
import { type Migration, readMigrations, rejectOldDatabase } from '../lib/migrations.ts'

const help = `Applies missing migrations to a libSQL database.

  LIBSQL_URL=libsql://… LIBSQL_AUTH_TOKEN=… npm run migrate [-- options]

Both can be in files: LIBSQL_URL_FILE and LIBSQL_AUTH_TOKEN_FILE hold their paths.

  --dry-run   list the migrations to apply, without applying them
  --help      show this help

Each migration is applied as a whole or not at all, and recorded in the table d1_migrations. Safe to run repeatedly.
For Cloudflare D1 use \`npm run deploy\`; \`npm start\` migrates its own database.
`

export type MigrateOptions = {
	dryRun?: boolean
	/** Migrations to apply, in order (default: schema/migrations). */
	migrations?: Migration[]
	/** Receives a line for each step. */
	print?: (line: string) => void
}

export type Address = { url: string; authToken?: string | undefined }

/** How long a run waits for the lock of a database file. A server waits by itself. */
const LOCK_WAIT_MS = 60_000

/** Applies missing migrations and returns their names; with `dryRun` only returns the names. */
export async function migrateLibsql(
	target: Client | Address,
	options: MigrateOptions = {},
): Promise<string[]> {
	if (!('url' in target)) return migrate(target, options)
	const client = connect(target)
	try {
		return await migrate(client, options)
	} finally {
		client.close()
	}
}

export function connect({ url, authToken }: Address): Client {
	return createClient({ url, timeout: LOCK_WAIT_MS, ...(authToken && { authToken }) })
}

async function migrate(
	client: Client,
	{ dryRun = false, migrations, print = () => {} }: MigrateOptions,
): Promise<string[]> {
	const all = migrations ?? (await readMigrations())
	const recorded = await appliedNames(client)
	rejectOldDatabase(recorded)
	const missing = all.filter(({ name }) => !recorded.has(name))
	const applied: string[] = []
	for (const migration of missing) {
		if (dryRun) {
			print(`would apply ${migration.name} (${migration.statements.length} statements)`)
			applied.push(migration.name)
		} else if (await apply(client, migration)) {
			print(`applied ${migration.name} (${migration.statements.length} statements)`)
			applied.push(migration.name)
		} else {
			print(`${migration.name} was applied by another run at the same time`)
		}
	}
	if (missing.length === 0) print(`nothing to do: all ${all.length} migrations are applied`)
	return applied
}

// Same table as wrangler creates, so that a database can move between the two.
const createTable = `CREATE TABLE IF NOT EXISTS d1_migrations (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	name TEXT UNIQUE,
	applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`

async function appliedNames(client: Client): Promise<Set<string>> {
	const table = await client.execute(
		"SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'd1_migrations'",
	)
	if (table.rows.length === 0) return new Set()
	const { rows } = await client.execute('SELECT name FROM d1_migrations')
	return new Set(rows.map(({ name }) => String(name)))
}

/**
 * Applies a migration; returns false if another run applied it first. The name is inserted before the tables change,
 * in one transaction. A concurrent run waits for the lock, violates the unique name, and is rolled back.
 */
async function apply(client: Client, { name, statements }: Migration): Promise<boolean> {
	const insertName = { sql: 'INSERT INTO d1_migrations (name) VALUES (?)', args: [name] }
	try {
		await client.batch([createTable, insertName, ...statements], 'write')
		return true
	} catch (error) {
		if (error instanceof LibsqlError && /UNIQUE constraint failed: d1_migrations\.name/.test(error.message))
			return false
		throw new Error(`${name}: ${messageOf(error)}`, { cause: error })
	}
}

// An error of fetch says only that it failed; its cause says why.
function messageOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error)
	return error.message === 'fetch failed' && error.cause
		? `${error.message}: ${messageOf(error.cause)}`
		: error.message
}

if (import.meta.main) {
	const { values } = parseOptions({
		options: { 'dry-run': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
	})
	const { env, problems } = readSecretFiles(process.env, ['LIBSQL_URL', 'LIBSQL_AUTH_TOKEN'])
	const url = env.LIBSQL_URL
	if (values.help) {
		console.log(help)
	} else if (problems.length > 0) {
		console.error(problems.join('\n'))
		process.exitCode = 2
	} else if (!url) {
		console.error(
			'LIBSQL_URL is not set; set it to the URL of the database, or see `npm run migrate -- --help`.',
		)
		process.exitCode = 2
	} else {
		try {
			const print = (line: string) => console.log(line)
			await migrateLibsql(
				{ url, authToken: env.LIBSQL_AUTH_TOKEN },
				{ dryRun: values['dry-run'] ?? false, print },
			)
		} catch (error) {
			console.error(`The migrations failed: ${messageOf(error)}`)
			console.error('No migration is applied in part. Fix the problem and run the command again.')
			process.exitCode = 1
		}
	}
}
