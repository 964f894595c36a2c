import { parseArgs } from 'node:util'
import { type Client, createClient, LibsqlError } from '@libsql/client'
import { type Migration, readMigrations } from './migrations.ts'

const help = `Brings the tables of a libSQL database up to date.

  LIBSQL_URL=libsql://… LIBSQL_AUTH_TOKEN=… npm run migrate [-- options]

  --dry-run   say what would be applied, and apply nothing
  --help      this text

Each migration is applied as a whole or not at all, and remembered in the table d1_migrations. Run it as often
as you like. On Cloudflare's D1, \`npm run deploy\` does this; \`npm start\` does it for its own database.
`

export type MigrateOptions = {
	dryRun?: boolean
	/** In the order they are to be applied; by default those of schema/migrations. */
	migrations?: Migration[]
	/** Hears a line for each step. */
	say?: (line: string) => void
}

export type Address = { url: string; authToken?: string | undefined }

/** For how long a run waits while another holds the lock of a file. A server waits by itself. */
const LOCK_WAIT_MS = 60_000

/** Gives the names of the migrations that this run applied, or with `dryRun` would have. */
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
	{ dryRun = false, migrations, say = () => {} }: MigrateOptions,
): Promise<string[]> {
	const all = migrations ?? (await readMigrations())
	const known = await appliedNames(client)
	const missing = all.filter(({ name }) => !known.has(name))
	const applied: string[] = []
	for (const migration of missing) {
		if (dryRun) {
			say(`would apply ${migration.name} (${migration.statements.length} statements)`)
			applied.push(migration.name)
		} else if (await apply(client, migration)) {
			say(`applied ${migration.name} (${migration.statements.length} statements)`)
			applied.push(migration.name)
		} else {
			say(`${migration.name} was applied by another run in the meantime`)
		}
	}
	if (missing.length === 0) say(`nothing to do: all ${all.length} migrations are in place`)
	return applied
}

// The shape that wrangler gives it, so a database can move between the two.
const createRegister = `CREATE TABLE IF NOT EXISTS d1_migrations (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	name TEXT UNIQUE,
	applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`

async function appliedNames(client: Client): Promise<Set<string>> {
	const register = await client.execute(
		"SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'd1_migrations'",
	)
	if (register.rows.length === 0) return new Set()
	const { rows } = await client.execute('SELECT name FROM d1_migrations')
	return new Set(rows.map(({ name }) => String(name)))
}

/**
 * False where another run was first. The row comes before the tables, in the same transaction: of two runs one waits
 * for the other's lock, then trips over the unique name, and its batch is rolled back whole.
 */
async function apply(client: Client, { name, statements }: Migration): Promise<boolean> {
	const register = { sql: 'INSERT INTO d1_migrations (name) VALUES (?)', args: [name] }
	try {
		await client.batch([createRegister, register, ...statements], 'write')
		return true
	} catch (error) {
		if (error instanceof LibsqlError && /UNIQUE constraint failed: d1_migrations\.name/.test(error.message))
			return false
		throw new Error(`${name}: ${messageOf(error)}`, { cause: error })
	}
}

// What fetch throws says only that it failed; why is in its cause.
function messageOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error)
	return error.message === 'fetch failed' && error.cause
		? `${error.message}: ${messageOf(error.cause)}`
		: error.message
}

if (import.meta.main) {
	const { values } = parseArgs({
		options: { 'dry-run': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
	})
	const url = process.env.LIBSQL_URL
	if (values.help) {
		console.log(help)
	} else if (!url) {
		console.error(
			'Set LIBSQL_URL to the database to bring up to date; `npm run migrate -- --help` says more.',
		)
		process.exitCode = 2
	} else {
		try {
			const say = (line: string) => console.log(line)
			await migrateLibsql(
				{ url, authToken: process.env.LIBSQL_AUTH_TOKEN },
				{ dryRun: values['dry-run'] ?? false, say },
			)
		} catch (error) {
			console.error(`The database could not be brought up to date: ${messageOf(error)}`)
			console.error('Nothing was left half done; run it again when this is mended.')
			process.exitCode = 1
		}
	}
}
