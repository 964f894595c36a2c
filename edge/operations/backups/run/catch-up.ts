import type { BackupPlan } from '#schema/tables/operations/backups.ts'
import { ChunkLines } from '../format/lines.ts'
import { finishBackup } from './finish.ts'
import { hashSchema } from './plan-run.ts'
import { type Run, SchemaChangedError, storeLines } from './run.ts'
import type { ChangeRange, Snapshot } from './source-store.ts'
import { TRIGGERS_PER_TABLE } from './triggers.ts'

/** The changes that one transaction reads, unless their rows are too long. */
const CHANGES_AT_ONCE = 500
const CHARACTERS_AT_ONCE = 4_000_000

/** Reads changed rows again. Finishes the backup once all changes were read in one transaction. */
export async function copyChanges(run: Run, plan: BackupPlan): Promise<boolean> {
	const after = run.row.changesSeq
	const range = await chooseRange(run, plan, after, await run.source.findLastSeq())
	const snapshotAt = run.deps.clock()
	const snapshot = await run.source.snapshot(run.row.id, plan.tables, range)
	// A dropped table loses its triggers, and a new one has none.
	if (snapshot.triggers !== plan.tables.length * TRIGGERS_PER_TABLE) throw new SchemaChangedError()
	if ((await hashSchema(snapshot.schema)) !== plan.schemaHash) throw new SchemaChangedError()
	const changesSeq = range.upTo ?? snapshot.lastSeq
	const { tableIndex, afterRowid } = run.row
	await storeLines(run, linesOf(snapshot), { tableIndex, afterRowid, changesSeq })
	if (range.upTo !== null) return false
	await finishBackup(run, plan, snapshot, snapshotAt)
	return true
}

/** Returns a range to the end if little is left. Changes that arrive before it is read make it only a little larger. */
async function chooseRange(run: Run, plan: BackupPlan, after: number, last: number): Promise<ChangeRange> {
	let upTo = Math.min(last, after + CHANGES_AT_ONCE)
	while (
		upTo > after + 1 &&
		(await run.source.measureChanges(plan.tables, { after, upTo })) > CHARACTERS_AT_ONCE
	)
		upTo = after + Math.ceil((upTo - after) / 2)
	return { after, upTo: upTo >= last ? null : upTo }
}

function linesOf({ rows, changed }: Snapshot): ChunkLines {
	const lines = new ChunkLines()
	for (const { table, rows: found } of rows) {
		const place = { table: table.name, columns: table.columns }
		const deleted = new Set(
			changed.filter(({ table: name }) => name === table.name).map(({ rowid }) => rowid),
		)
		for (const [rowid, ...values] of found) {
			deleted.delete(Number(rowid))
			lines.addRow(place, Number(rowid), values)
		}
		for (const rowid of deleted) lines.addDeletion(place, rowid)
	}
	return lines
}
