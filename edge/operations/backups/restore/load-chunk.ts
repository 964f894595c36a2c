import type { Statement } from '../../../platform/database/d1-binding.ts'
import { DamagedBackupError } from '../format/chunk.ts'
import type { Entry, Value } from '../format/lines.ts'
import type { Manifest } from '../format/manifest.ts'
import { quoteName } from '../format/sql-text.ts'
import { RowSetHash, type TableHashes } from './row-set-hash.ts'

export type Cells = readonly (readonly Value[])[]

/** A database into which a backup is restored. Runs statements as one transaction, and returns the rows of each. */
export type Query = (statements: readonly Statement[]) => Promise<readonly Cells[]>

/** Rows that were deleted while the backup was made. Exists only during a restore. */
const DELETED = 'playhouse_deleted_rows'
/** Rowids that one statement looks up. */
const ROWIDS_AT_ONCE = 5_000

const statement = (sql: string, ...args: Value[]): Statement => ({ sql, args })
const isTable = (sql: string) => /^create table/i.test(sql)

/** Returns the statements that create the tables of an empty database. */
export const tableStatements = ({ schema }: Manifest): Statement[] => [
	...schema.filter(isTable).map((sql) => statement(sql)),
	statement(`create table ${DELETED} (source text, row_id integer, primary key (source, row_id))`),
]

/** Returns the statements that create the indexes. They are faster after the rows were loaded. */
export const indexStatements = ({ schema }: Manifest): Statement[] =>
	schema.filter((sql) => !isTable(sql)).map((sql) => statement(sql))

/** Returns the statements after which the database is complete. */
export const lastStatements = ({ sequences }: Manifest): Statement[] => [
	statement(`drop table ${DELETED}`),
	statement('delete from sqlite_sequence'),
	...Object.entries(sequences).map(([name, seq]) =>
		statement('insert into sqlite_sequence (name, seq) values (?, ?)', name, seq),
	),
]

/**
 * Returns the statements that load a chunk, and the hashes with its rows. Chunks are loaded from the last to the first,
 * because only the last entry of a row counts: each row is written once, and no older row can violate a constraint.
 */
export async function loadChunk(
	manifest: Manifest,
	entries: readonly Entry[],
	hashes: TableHashes,
	query: Query,
	parametersAtOnce: number,
): Promise<{ statements: Statement[]; hashes: TableHashes }> {
	const newestEntries = newestByTable(entries)
	for (const table of newestEntries.keys())
		if (!manifest.tables.some(({ name }) => name === table))
			throw new DamagedBackupError(`the backup has rows of ${table}, which its manifest does not list`)
	const knownRows = await findKnown(query, newestEntries)
	const statements: Statement[] = []
	const added: Record<string, string> = {}
	for (const [table, newest] of newestEntries) {
		const known = knownRows.get(table) ?? new Set()
		const fresh = [...newest.values()].filter(({ rowid }) => !known.has(rowid))
		const rows = fresh.filter((entry): entry is Row => entry.values !== null)
		const hash = new RowSetHash(hashes[table])
		for (const { rowid, values } of rows) hash.add(rowid, values)
		added[table] = hash.toString()
		statements.push(
			...insertStatements(rows, parametersAtOnce),
			...deletedStatements(
				table,
				fresh.filter(({ values }) => values === null),
			),
		)
	}
	return { statements, hashes: { ...hashes, ...added } }
}

type Row = Entry & { values: readonly Value[] }

/** Returns the last entry of each row. */
function newestByTable(entries: readonly Entry[]): Map<string, Map<number, Entry>> {
	const tables = new Map<string, Map<number, Entry>>()
	for (const entry of entries) {
		const rows = tables.get(entry.table) ?? new Map<number, Entry>()
		tables.set(entry.table, rows.set(entry.rowid, entry))
	}
	return tables
}

/** Returns the rows of each table that a later chunk has loaded or deleted. */
async function findKnown(
	query: Query,
	entries: ReadonlyMap<string, ReadonlyMap<number, Entry>>,
): Promise<Map<string, Set<number>>> {
	const searches = [...entries].flatMap(([table, rows]) =>
		groupsOf([...rows.keys()], ROWIDS_AT_ONCE).map((rowids) => ({ table, ids: JSON.stringify(rowids) })),
	)
	const found = await query(
		searches.map(({ table, ids }) =>
			statement(
				`
					select rowid from ${quoteName(table)}
					where rowid in (select value from json_each(?))
					union all
					select row_id from ${DELETED}
					where source = ? and row_id in (select value from json_each(?))
				`,
				...[ids, table, ids],
			),
		),
	)
	const known = new Map<string, Set<number>>()
	for (const [at, { table }] of searches.entries()) {
		const rowids = found[at]?.map(([rowid]) => Number(rowid)) ?? []
		known.set(table, new Set([...(known.get(table) ?? []), ...rowids]))
	}
	return known
}

/** All rows of a table have the same columns: a backup begins again when the schema changes. */
function insertStatements(rows: readonly Row[], parametersAtOnce: number): Statement[] {
	const [first] = rows
	if (!first) return []
	const { table, columns } = first
	const names = ['rowid', ...columns.map(quoteName)].join(', ')
	const places = `(${['?', ...columns.map(() => '?')].join(', ')})`
	const atOnce = Math.max(1, Math.floor(parametersAtOnce / (columns.length + 1)))
	return groupsOf(rows, atOnce).map((some) =>
		statement(
			`insert into ${quoteName(table)} (${names}) values ${some.map(() => places).join(', ')}`,
			...some.flatMap(({ rowid, values }) => [rowid, ...values]),
		),
	)
}

const deletedStatements = (table: string, entries: readonly Entry[]): Statement[] =>
	groupsOf(entries, ROWIDS_AT_ONCE).map((some) =>
		statement(
			`insert into ${DELETED} (source, row_id) select ?, value from json_each(?)`,
			table,
			JSON.stringify(some.map(({ rowid }) => rowid)),
		),
	)

const groupsOf = <T>(items: readonly T[], size: number): T[][] =>
	Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
