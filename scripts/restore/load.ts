import type { Client, InStatement } from '@libsql/client'
import type { Entry, Value } from '../../edge/backups/format/lines.ts'
import { schemaQuery } from '../../edge/backups/format/schema-sql.ts'
import { quoted } from '../../edge/backups/format/sql-text.ts'
import type { BackupFile } from './backup-file.ts'

/** SQLite allows 32,766 parameters in a statement. */
const PARAMETERS_AT_ONCE = 2_000

/** Fills an empty database. Indexes are created last, because rows of different ages may break a unique one meanwhile. */
export async function loadBackup(client: Client, backup: BackupFile): Promise<void> {
	const { schema, chunks, sequences } = backup.manifest
	const isTable = (statement: string) => /^create table/i.test(statement)
	await client.batch(schema.filter(isTable), 'write')
	for (const position of chunks.keys())
		await client.batch(statementsOf(await backup.readChunk(position)), 'write')
	await client.batch(
		[
			...schema.filter((statement) => !isTable(statement)),
			'delete from sqlite_sequence',
			...Object.entries(sequences).map(([name, seq]) => ({
				sql: 'insert into sqlite_sequence (name, seq) values (?, ?)',
				args: [name, seq],
			})),
		],
		'write',
	)
}

/** Throws unless the database has no table. */
export async function requireEmpty(client: Client): Promise<void> {
	const { rows } = await client.execute(schemaQuery())
	if (rows.length > 0) throw new Error('the target has tables; restore into a new database')
}

type Row = Entry & { values: readonly Value[] }

/** Combines rows of one table that follow each other. A later row replaces an earlier one with the same rowid. */
function statementsOf(entries: readonly Entry[]): InStatement[] {
	const statements: InStatement[] = []
	let rows: Row[] = []
	const flush = () => {
		const [first] = rows
		if (first) statements.push(upsertOf(first, rows))
		rows = []
	}
	for (const entry of entries) {
		const [first] = rows
		const isFull = first && (rows.length + 1) * (first.columns.length + 1) > PARAMETERS_AT_ONCE
		if (first && (isFull || first.table !== entry.table || entry.values === null)) flush()
		if (entry.values) rows.push(entry as Row)
		else statements.push({ sql: `delete from ${quoted(entry.table)} where rowid = ?`, args: [entry.rowid] })
	}
	flush()
	return statements
}

function upsertOf({ table, columns }: Row, rows: readonly Row[]): InStatement {
	const names = ['rowid', ...columns.map(quoted)].join(', ')
	const places = `(${['?', ...columns.map(() => '?')].join(', ')})`
	return {
		sql: `insert or replace into ${quoted(table)} (${names}) values ${rows.map(() => places).join(', ')}`,
		args: rows.flatMap(({ rowid, values }) => [rowid, ...values]),
	}
}
