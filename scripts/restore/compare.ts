import { createHash } from 'node:crypto'
import type { Client } from '@libsql/client'
import { DamagedBackupError } from '../../edge/backups/format/chunk.ts'
import type { Manifest } from '../../edge/backups/format/manifest.ts'
import { BEFORE_ALL_ROWS } from '../../edge/backups/format/rowids.ts'
import { quoted } from '../../edge/backups/format/sql-text.ts'
import type { BackupFile } from './backup-file.ts'

const ROWS_AT_ONCE = 1_000

/** The combined hash of rows in any order. Each row contributes once, as its table and rowid are part of it. */
class RowSetHash {
	readonly #bytes = Buffer.alloc(32)

	add(table: string, rowid: number, values: readonly unknown[]): void {
		const hash = createHash('sha256')
			.update(JSON.stringify([table, rowid, ...values]))
			.digest()
		for (const [at, byte] of hash.entries()) this.#bytes[at] = (this.#bytes[at] ?? 0) ^ byte
	}

	toString(): string {
		return this.#bytes.toString('hex')
	}
}

/** Throws `DamagedBackupError` unless the database holds exactly the rows of the backup. Returns the number of rows. */
export async function compareWithBackup(client: Client, backup: BackupFile): Promise<number> {
	const expected = await hashOfBackup(backup)
	const found = new RowSetHash()
	let total = 0
	for (const table of backup.manifest.tables) {
		const rows = await addRows(client, table, found)
		if (rows !== table.rows)
			throw new DamagedBackupError(
				`${table.name} has ${rows} rows after the restore instead of ${table.rows}`,
			)
		total += rows
	}
	if (found.toString() !== expected)
		throw new DamagedBackupError('the restored rows differ from those of the backup')
	return total
}

/** Reads the backup from its end, since only the last entry of each row counts. */
async function hashOfBackup(backup: BackupFile): Promise<string> {
	const hash = new RowSetHash()
	const seen = new Map(backup.manifest.tables.map(({ name }) => [name, new Set<number>()]))
	for (let position = backup.manifest.chunks.length - 1; position >= 0; position--)
		for (const { table, rowid, values } of (await backup.readChunk(position)).reverse()) {
			const rowids = seen.get(table)
			if (!rowids)
				throw new DamagedBackupError(`the backup has rows of ${table}, which its manifest does not list`)
			if (rowids.has(rowid)) continue
			rowids.add(rowid)
			if (values) hash.add(table, rowid, values)
		}
	return hash.toString()
}

async function addRows(
	client: Client,
	{ name, columns }: Manifest['tables'][number],
	hash: RowSetHash,
): Promise<number> {
	const select = `select rowid as "_rowid", ${columns.map(quoted).join(', ')} from ${quoted(name)} where rowid > ? order by rowid limit ${ROWS_AT_ONCE}`
	let count = 0
	for (let after = BEFORE_ALL_ROWS; ; ) {
		const { rows } = await client.execute({ sql: select, args: [after] })
		for (const row of rows) {
			const [rowid, ...values] = Array.from(row as ArrayLike<unknown>)
			hash.add(name, Number(rowid), values)
			after = Number(rowid)
		}
		count += rows.length
		if (rows.length < ROWS_AT_ONCE) return count
	}
}
