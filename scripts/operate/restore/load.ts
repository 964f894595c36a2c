import type { Client, Row } from '@libsql/client'
import type { Value } from '../../../edge/operations/backups/format/lines.ts'
import { buildSchemaQuery } from '../../../edge/operations/backups/format/schema-sql.ts'
import {
	type Cells,
	indexStatements,
	lastStatements,
	loadChunk,
	type Query,
	tableStatements,
} from '../../../edge/operations/backups/restore/load-chunk.ts'
import type { TableHashes } from '../../../edge/operations/backups/restore/row-set-hash.ts'
import type { BackupFile } from './backup-file.ts'

/** SQLite allows 32,766 parameters in a statement. */
const PARAMETERS_AT_ONCE = 2_000

/** Fills an empty database. Returns the hashes of the rows that it must have now. */
export async function loadBackup(
	client: Client,
	backup: Pick<BackupFile, 'manifest' | 'readChunk'>,
): Promise<TableHashes> {
	const { manifest } = backup
	const query: Query = async (statements) =>
		(await client.batch([...statements], 'write')).map(({ rows }) => cellsOf(rows))
	await query(tableStatements(manifest))
	let hashes: TableHashes = {}
	for (let position = manifest.chunks.length - 1; position >= 0; position--) {
		const entries = await backup.readChunk(position)
		const loaded = await loadChunk(manifest, entries, hashes, query, PARAMETERS_AT_ONCE)
		await query(loaded.statements)
		hashes = loaded.hashes
	}
	await query([...indexStatements(manifest), ...lastStatements(manifest)])
	return hashes
}

/** The driver returns rows that only look like arrays. */
const cellsOf = (rows: readonly Row[]): Cells => rows.map((row) => Array.from(row) as Value[])

/** Throws unless the database has no table. */
export async function requireEmpty(client: Client): Promise<void> {
	const { rows } = await client.execute(buildSchemaQuery())
	if (rows.length > 0) throw new Error('the target has tables; restore into a new database')
}
