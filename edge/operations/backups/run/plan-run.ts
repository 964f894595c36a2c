import type { BackupPlan } from '#schema/tables/operations/backups.ts'
import { sha256 } from '../../../platform/tokens/digest.ts'
import { ChunkLines } from '../format/lines.ts'
import { BEFORE_ALL_ROWS } from '../format/rowids.ts'
import { createsTableOrIndex } from '../format/schema-sql.ts'
import { finishBackup } from './finish.ts'
import { advanceRun, type Run, SchemaChangedError, storeLines } from './run.ts'
import type { Schema } from './source-store.ts'

/** A database up to this size is read in one transaction, without triggers. */
const FEW_ROWS = 2_000
const FEW_CHARACTERS = 4_000_000

/** Plans what to read, or backs a small database up at once. Returns true if the backup is finished. */
export async function planRun(run: Run): Promise<boolean> {
	// An attempt that ended early may have stored chunks.
	await run.store.deleteChunks(run.row)
	const schema = await run.source.readSchema()
	const refused = schema.statements.find((statement) => !createsTableOrIndex(statement))
	if (refused) throw new Error(`a restore would reject this schema statement: ${refused}`)
	const lastRowids = await run.source.readLastRowids(schema)
	if (Object.values(lastRowids).reduce((sum, last) => sum + Math.max(0, last), 0) <= FEW_ROWS) {
		const plan = await planOf(schema, lastRowids)
		if ((await run.source.measureAll(plan.tables)) <= FEW_CHARACTERS) return readAtOnce(run, plan)
	}
	const watched = await run.source.watch(run.row.id, schema)
	const plan = await planOf(watched.schema, watched.lastRowids)
	if (plan.schemaHash !== (await hashSchema(schema))) throw new SchemaChangedError()
	advanceRun(run, await run.store.plan(run.row, plan, run.leaseEnd()))
	return false
}

async function readAtOnce(run: Run, plan: BackupPlan): Promise<true> {
	const snapshotAt = run.deps.clock()
	const snapshot = await run.source.snapshot(run.row.id, plan.tables, 'all')
	if ((await hashSchema(snapshot.schema)) !== plan.schemaHash) throw new SchemaChangedError()
	const lines = new ChunkLines()
	for (const { table, rows } of snapshot.rows)
		for (const [rowid, ...values] of rows)
			lines.addRow({ table: table.name, columns: table.columns }, Number(rowid), values)
	await storeLines(run, lines, { tableIndex: 0, afterRowid: BEFORE_ALL_ROWS, changesSeq: 0 })
	await finishBackup(run, plan, snapshot, snapshotAt)
	return true
}

async function planOf(schema: Schema, lastRowids: Record<string, number>): Promise<BackupPlan> {
	const tables = schema.tables.map((table) => ({
		...table,
		lastRowid: lastRowids[table.name] ?? BEFORE_ALL_ROWS,
	}))
	return { tables, schemaHash: await hashSchema(schema) }
}

export const hashSchema = ({ statements }: Schema): Promise<string> => sha256(JSON.stringify(statements))
