import type { BackupPlan, BackupTable } from '#schema/tables/operations/backups.ts'
import { ChunkLines } from '../format/lines.ts'
import { BEFORE_ALL_ROWS } from '../format/rowids.ts'
import { CHUNK_CHARACTERS, readRows } from './read-rows.ts'
import { type Run, storeLines } from './run.ts'

/** Reads the next rows of the plan into one chunk. Rows that change from now on are read again later. */
export async function readTables(run: Run, plan: BackupPlan): Promise<false> {
	const lines = new ChunkLines()
	let { tableIndex, afterRowid } = run.row
	while (tableIndex < plan.tables.length && lines.length < CHUNK_CHARACTERS) {
		const table = plan.tables[tableIndex] as BackupTable
		const read =
			table.lastRowid > afterRowid
				? await readRows(run.source, table, afterRowid, CHUNK_CHARACTERS - lines.length)
				: null
		for (const [rowid, ...values] of read?.rows ?? [])
			lines.addRow({ table: table.name, columns: table.columns }, Number(rowid), values)
		if (read) afterRowid = read.last
		else {
			tableIndex++
			afterRowid = BEFORE_ALL_ROWS
		}
	}
	await storeLines(run, lines, { tableIndex, afterRowid, changesSeq: run.row.changesSeq })
	return false
}
