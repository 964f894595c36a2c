import type { BackupTable } from '#schema/tables/operations/backups.ts'
import type { Rows, sourceStore } from './source-store.ts'

/** A chunk is held in memory several times while it is compressed and encrypted. */
export const CHUNK_CHARACTERS = 1_000_000
const ROWS_AT_ONCE = 2_000

/** Reads as many rows as fit into `characters`, at least one; null at the end of the table. */
export async function readRows(
	source: ReturnType<typeof sourceStore>,
	table: BackupTable,
	after: number,
	characters: number,
): Promise<{ rows: Rows; last: number } | null> {
	const sizes = await source.listSizes(table, after, ROWS_AT_ONCE)
	const last = lastFitting(sizes, characters)
	if (last === null) return null
	if (last <= after) throw new Error(`reading ${table.name} after row ${after} returned row ${last}`)
	return { rows: await source.readRows(table, after, last), last }
}

/** Returns the rowid of the last row that fits, or else of the first row; null without rows. */
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
