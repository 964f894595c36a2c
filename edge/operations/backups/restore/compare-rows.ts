import type { BackupTable } from '#schema/tables/operations/backups.ts'
import { DamagedBackupError } from '../format/chunk.ts'
import type { Manifest } from '../format/manifest.ts'
import { BEFORE_ALL_ROWS } from '../format/rowids.ts'
import { CHUNK_CHARACTERS, readRows } from '../run/read-rows.ts'
import type { Schema, sourceStore } from '../run/source-store.ts'
import { RowSetHash, type TableHashes } from './row-set-hash.ts'

/** Progress of the comparison: the table, the last row that was compared, and the count and hash of its rows so far. */
export type Compared = { table: number; afterRowid: number; rows: number; hash: string }

export const nothingCompared: Compared = {
	table: 0,
	afterRowid: BEFORE_ALL_ROWS,
	rows: 0,
	hash: new RowSetHash().toString(),
}

/**
 * Compares the next rows of a restored database with the hashes of what was loaded. Returns null after the last table,
 * and throws `DamagedBackupError` if the count or the content of a table differs.
 */
export async function compareRows(
	source: ReturnType<typeof sourceStore>,
	manifest: Manifest,
	schema: Schema,
	expected: TableHashes,
	{ table: at, afterRowid, rows: before, hash: former }: Compared,
): Promise<Compared | null> {
	if (at === 0 && afterRowid === BEFORE_ALL_ROWS && schema.statements.join() !== manifest.schema.join())
		throw new DamagedBackupError('the restored tables and indexes differ from those of the backup')
	const listed = manifest.tables[at]
	if (!listed) return null
	const read = await readRows(source, tableOf(listed, schema), afterRowid, CHUNK_CHARACTERS)
	const hash = new RowSetHash(former)
	for (const [rowid, ...values] of read?.rows ?? []) hash.add(Number(rowid), values)
	const rows = before + (read?.rows.length ?? 0)
	if (read) return { table: at, afterRowid: read.last, rows, hash: hash.toString() }
	if (rows !== listed.rows)
		throw new DamagedBackupError(
			`${listed.name} has ${rows} rows after the restore instead of ${listed.rows}`,
		)
	if (hash.toString() !== (expected[listed.name] ?? nothingCompared.hash))
		throw new DamagedBackupError(`the restored rows of ${listed.name} differ from those of the backup`)
	return { ...nothingCompared, table: at + 1 }
}

function tableOf({ name, columns }: Manifest['tables'][number], { tables }: Schema): BackupTable {
	const restored = tables.find((each) => each.name === name)
	if (!restored) throw new DamagedBackupError(`${name} does not exist after the restore`)
	return { name, columns, textColumns: restored.textColumns, lastRowid: Number.MAX_SAFE_INTEGER }
}
