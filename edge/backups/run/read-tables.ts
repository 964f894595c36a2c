import type { BackupPlan, BackupTable } from '#schema/tables/installation/backups.ts'
import { ChunkLines } from '../format/lines.ts'
import { BEFORE_ALL_ROWS } from '../format/rowids.ts'
import { type Run, storeLines } from './run.ts'

/** A chunk is held in memory several times while it is compressed and encrypted. */
const CHUNK_CHARACTERS = 1_000_000
const ROWS_AT_ONCE = 2_000

/** Reads the next rows of the plan into one chunk. Rows that change from now on are read again later. */
export async function readTables(run: Run, plan: BackupPlan): Promise<false> {
	const lines = new ChunkLines()
	let { tableIndex, afterRowid } = run.row
	while (tableIndex < plan.tables.length && lines.length < CHUNK_CHARACTERS) {
		const table = plan.tables[tableIndex] as BackupTable
		const last = table.lastRowid > afterRowid ? await readRows(run, table, afterRowid, lines) : null
		if (last === null) {
			tableIndex++
			afterRowid = BEFORE_ALL_ROWS
		} else afterRowid = last
	}
	await storeLines(run, lines, { tableIndex, afterRowid, changesSeq: run.row.changesSeq })
	return false
}

/** Adds as many rows as fit, at least one. Returns the last rowid that was looked at, or null at the end of the table. */
async function readRows(
	{ source }: Run,
	table: BackupTable,
	after: number,
	lines: ChunkLines,
): Promise<number | null> {
	const sizes = await source.listSizes(table, after, ROWS_AT_ONCE)
	const last = lastFitting(sizes, CHUNK_CHARACTERS - lines.length)
	if (last === null) return null
	for (const [rowid, ...values] of await source.readRows(table, after, last))
		lines.addRow({ table: table.name, columns: table.columns }, Number(rowid), values)
	return last
}

/** Returns the rowid of the last row that fits into so many characters, of the first row if none does, or null. */
function lastFitting(
	sizes: readonly (readonly [rowid: number, length: number])[],
	characters: number,
): number | null {
	let total = 0
	let last: number | null = null
	for (const [rowid, length] of sizes) {
		total += length
		if (last !== null && total > characters) break
		last = rowid
	}
	return last
}
