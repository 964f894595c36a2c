import { checkCounters, counterNames } from '../../../community/counters/check.ts'
import { SECOND } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { type BackupKeys, checkChunk, DamagedBackupError, openChunk } from '../format/chunk.ts'
import { type Entry, parseEntries } from '../format/lines.ts'
import type { Manifest } from '../format/manifest.ts'
import { type Compared, compareRows, nothingCompared } from '../restore/compare-rows.ts'
import { indexStatements, lastStatements, loadChunk, tableStatements } from '../restore/load-chunk.ts'
import { hashSchema } from '../run/plan-run.ts'
import { type Schema, sourceStore } from '../run/source-store.ts'
import type { Drill, DrillProgress } from './drill-object.ts'
import { PARAMETERS_AT_ONCE, type ScratchDatabase } from './scratch-database.ts'

/** Creating the index of a large table takes long, so each is a step of its own. */
const MANY_ROWS = 100_000
const COMPARISONS_A_STEP = 10

export type DrillRun = {
	deps: Pick<Deps, 'db' | 'objects' | 'clock'>
	drill: Drill
	scratch: ScratchDatabase
	manifest: Manifest
	/** Null if only the recipient can read the backup. */
	keys: BackupKeys | null
	/** Read once: the schema of the scratch database, and whether the live database has the same one. */
	schema?: Schema
	isCurrentSchema?: boolean
}

type At<Step extends DrillProgress['step']> = Extract<DrillProgress, { step: Step }>

/** Runs the next step. Returns true after the last one; throws `DamagedBackupError` if the backup is unusable. */
export async function runDrillStep(run: DrillRun): Promise<boolean> {
	const { progress } = run.scratch
	switch (progress.step) {
		case 'create':
			return createTables(run)
		case 'check':
			return checkNextChunk(run, progress)
		case 'load':
			return loadLastChunk(run, progress)
		case 'index':
			return createIndexes(run, progress)
		case 'compare':
			return compare(run, progress)
		case 'count':
			return countRows(run, progress)
	}
}

async function createTables({ scratch, manifest, keys }: DrillRun): Promise<false> {
	const chunks = manifest.chunks.length
	if (keys) await scratch.move({ step: 'load', chunks, hashes: {} }, tableStatements(manifest))
	else await scratch.move({ step: 'check', chunks })
	return false
}

async function checkNextChunk(run: DrillRun, { chunks }: At<'check'>): Promise<boolean> {
	const position = chunks - 1
	if (position < 0) return true
	const { place, seal, bytes } = await fetchChunk(run, position)
	await checkChunk(place, seal, bytes)
	await run.scratch.move({ step: 'check', chunks: position })
	return false
}

async function loadLastChunk(run: DrillRun, { chunks, hashes: before }: At<'load'>): Promise<false> {
	const { scratch, manifest } = run
	const position = chunks - 1
	if (position < 0) {
		await scratch.move({ step: 'index', indexes: 0, hashes: before })
		return false
	}
	const entries = await readChunk(run, position)
	const query = scratch.query.bind(scratch)
	const { statements, hashes } = await loadChunk(manifest, entries, before, query, PARAMETERS_AT_ONCE)
	await scratch.move({ step: 'load', chunks: position, hashes }, statements)
	return false
}

async function readChunk(run: DrillRun, position: number): Promise<Entry[]> {
	if (!run.keys) throw new Error('only the recipient can read this backup')
	const { place, seal, bytes } = await fetchChunk(run, position)
	return [...parseEntries(await openChunk(run.keys, place, seal, bytes))]
}

async function fetchChunk({ deps, manifest }: DrillRun, position: number) {
	const seal = manifest.chunks[position]
	if (!seal) throw new RangeError(`there is no chunk ${position}`)
	const found = await deps.objects.vault.get(seal.key)
	if (found.state !== 'found') throw new DamagedBackupError(`chunk ${position} is missing`)
	const bytes = new Uint8Array(await new Response(found.body).arrayBuffer())
	return { place: { backupId: manifest.id, position }, seal, bytes }
}

async function createIndexes(run: DrillRun, { indexes, hashes }: At<'index'>): Promise<false> {
	const { scratch, manifest, deps, drill } = run
	const rows = manifest.tables.reduce((total, table) => total + table.rows, 0)
	const statements = indexStatements(manifest).slice(indexes, rows > MANY_ROWS ? indexes + 1 : undefined)
	if (statements.length > 0) {
		await scratch.move({ step: 'index', indexes: indexes + statements.length, hashes }, statements)
		return false
	}
	const restoreSeconds = Math.ceil((deps.clock() - drill.startedAt) / SECOND)
	const next: At<'compare'> = { step: 'compare', restoreSeconds, hashes, compared: nothingCompared }
	await scratch.move(next, lastStatements(manifest))
	return false
}

async function compare(run: DrillRun, { restoreSeconds, hashes, compared }: At<'compare'>): Promise<false> {
	const { scratch, manifest } = run
	const source = sourceStore(scratch.db)
	run.schema ??= await source.readSchema()
	let next: Compared | null = compared
	for (let comparison = 0; next && comparison < COMPARISONS_A_STEP; comparison++)
		next = await compareRows(source, manifest, run.schema, hashes, next)
	await scratch.move(
		next
			? { step: 'compare', restoreSeconds, hashes, compared: next }
			: { step: 'count', restoreSeconds, counter: 0, afterRowid: 0 },
	)
	return false
}

/** Checks the counters of the next rows. Skipped for a backup of another schema. */
async function countRows(
	run: DrillRun,
	{ restoreSeconds, counter, afterRowid }: At<'count'>,
): Promise<boolean> {
	const { deps, scratch, manifest } = run
	const name = counterNames[counter]
	run.isCurrentSchema ??= (await hashSchema(await sourceStore(deps.db).readSchema())) === manifest.schemaHash
	if (!name || !run.isCurrentSchema) return true
	const checked = await checkCounters(scratch.db, name, afterRowid)
	if (checked && checked.wrong > 0)
		throw new DamagedBackupError(
			`${checked.wrong} counters of ${name} do not match the rows that they count, in the backup and thus in the database`,
		)
	await scratch.move({
		step: 'count',
		restoreSeconds,
		counter: checked ? counter : counter + 1,
		afterRowid: checked?.end ?? 0,
	})
	return false
}
