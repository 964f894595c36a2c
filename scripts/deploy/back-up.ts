import { toTextLiteral } from '../../edge/operations/backups/format/sql-text.ts'
import { newId } from '../../edge/platform/database/ids.ts'
import { hasAccounts, listPending, type Query } from '../lib/pending-migrations.ts'
import { OperatorError } from './plan.ts'

export type BackUpOptions = {
	/** Runs one statement in the deployed database. */
	query: Query
	/** The names of all migrations of this release. */
	migrations: readonly string[]
	print(line: string): void
	wait(ms: number): Promise<unknown>
	now(): number
}

const POLL_MS = 5_000
/** The Worker polls once a minute. */
const MAX_POLLS_BEFORE_BEGIN = 60
/** A lost step is retried after five minutes. */
const MAX_POLLS_WITHOUT_PROGRESS = 240

const NEW_MS = 3_600_000

const skip = 'To deploy without a backup, add --no-backup.'

/**
 * Requests a backup from the deployed Worker, if migrations are pending. The request is a row in `backups`, because a
 * deployment has wrangler's credentials but no account of the installation. An empty database needs no backup.
 */
export async function backUpBeforeMigrations(options: BackUpOptions): Promise<void> {
	const { query, migrations, print, now } = options
	const pending = await listPending(query, migrations)
	if (pending.length === 0) return print('  no migrations are pending')
	if (!(await hasAccounts(query))) return print('  the database is empty')
	if (!(await hasColumn(query, 'drill_error'))) {
		await requireOwnBackup(options)
		return print('  a superadmin has made the backup')
	}
	const id = newId('bkp', now())
	print(`  ${pending.length} migrations are pending: requesting the backup ${id}`)
	await waitUntilCompleted(id, options)
	print('  the backup is complete')
}

/** Returns whether the table has a column. `drill_error` came with the version that accepts requests. */
const hasColumn = async (query: Query, name: 'id' | 'drill_error'): Promise<boolean> =>
	(await query(`select 1 from pragma_table_info('backups') where name = '${name}'`)).length > 0

/** Throws unless a superadmin has just made a backup. An earlier version accepts no other requests. */
async function requireOwnBackup({ query, now }: Pick<BackUpOptions, 'query' | 'now'>): Promise<void> {
	if (!(await hasColumn(query, 'id')))
		throw new OperatorError(
			`The deployed version makes no backups. Write the database into a file with wrangler d1 export. ${skip}`,
		)
	const found = await query(
		`select 1 from backups where state = 'completed' and reason = 'migration' and finished_at > ${now() - NEW_MS} limit 1`,
	)
	if (found.length === 0)
		throw new OperatorError(
			`The deployed version does not accept requests for a backup from this command. Start one as a superadmin with POST /v1/backups/run and the body {"reason":"migration"}. When it is complete, run this command again within an hour. ${skip}`,
		)
}

async function waitUntilCompleted(id: string, { query, print, wait, now }: BackUpOptions): Promise<void> {
	const own = toTextLiteral(id)
	let before = ''
	let isRequested = false
	for (let polls = 0; ; polls++) {
		// Does nothing while another backup runs. Not repeated once the row exists: whoever deletes it wants no backup.
		if (!isRequested)
			await query(
				`insert into backups (id, reason, state, started_at, sealed_key, due_at) values (${own}, 'migration', 'running', ${now()}, '', 0) on conflict do nothing`,
			)
		const [row] = await query(
			`select id, state, error, attempt, table_index, json_array_length(plan, '$.tables') as tables, (select count(*) from backup_chunks where backup_id = backups.id) as chunks from backups where id = ${own} or state = 'running' order by id = ${own} desc limit 1`,
		)
		if (isRequested && row?.id !== id)
			throw new OperatorError(`The backup was deleted while it ran. No migration was applied. ${skip}`)
		isRequested = row?.id === id
		if (row?.id === id && row.state === 'completed') return
		if (row?.id === id && row.state === 'failed')
			throw new OperatorError(`The backup failed: ${row.error}. No migration was applied. ${skip}`)
		const line = progressOf(id, row)
		if (line !== before) {
			if (line) print(`  ${line}`)
			before = line
			polls = 0
		}
		const hasBegun = Number(row?.attempt ?? 0) > 0
		if (polls >= (hasBegun ? MAX_POLLS_WITHOUT_PROGRESS : MAX_POLLS_BEFORE_BEGIN)) {
			await query(`delete from backups where id = ${own} and state = 'running' and attempt = 0`)
			throw new OperatorError(
				`The Worker ${hasBegun ? 'does not get on with' : 'did not begin'} the backup; look at its logs, cron triggers and queues. No migration was applied. ${skip}`,
			)
		}
		await wait(POLL_MS)
	}
}

function progressOf(id: string, row: Record<string, unknown> | undefined): string {
	if (!row) return ''
	if (row.id !== id) return `another backup runs first: ${row.id}`
	if (row.tables === null) return Number(row.attempt) > 0 ? 'the Worker has begun' : ''
	const table = Math.min(Number(row.table_index) + 1, Number(row.tables))
	return `table ${table} of ${row.tables}, ${row.chunks} chunks stored`
}
