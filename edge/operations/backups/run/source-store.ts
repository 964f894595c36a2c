import { sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { BackupTable } from '#schema/tables/operations/backups.ts'
import type { Db } from '../../../platform/database/database.ts'
import { BEFORE_ALL_ROWS } from '../format/rowids.ts'
import { buildSchemaQuery, sequencesQuery } from '../format/schema-sql.ts'
import { quoteName, toTextLiteral } from '../format/sql-text.ts'
import { leftOut } from './left-out.ts'
import { createTriggersStatements, hasBackupId } from './triggers.ts'

type Cell = string | number | null
export type Rows = readonly (readonly Cell[])[]

/** Tables and indexes, without triggers, in an order in which they can be created. */
export type Schema = { statements: string[]; tables: Omit<BackupTable, 'lastRowid'>[] }

/** What one transaction read: changed rows, and what the restored database must agree with. */
export type Snapshot = {
	rows: { table: BackupTable; rows: Rows }[]
	changed: { table: string; rowid: number }[]
	/** The last change of the range that was read. */
	lastSeq: number
	counts: Record<string, number>
	sequences: Record<string, number>
	schema: Schema
	triggers: number
}

/** Which changes to read: after one, up to another or to the end. */
export type ChangeRange = { after: number; upTo: number | null }

/** D1 allows 100 columns in a result. */
const COLUMNS_AT_ONCE = 50

const schemaSql = buildSchemaQuery(
	'(select json_group_array(json_array(c.name, c.type)) from pragma_table_info(m.name) c)',
)
const lastRowid = (name: string) => `coalesce(max(rowid), ${BEFORE_ALL_ROWS}) from ${name}`
const triggersSql = "select name from sqlite_master where type = 'trigger'"

/**
 * Reads any table of the database for a backup. Statements are texts without parameters: D1's driver can't bind
 * parameters of raw statements in a batch. All names come from the database's own schema, all numbers are integers.
 */
export const sourceStore = (db: Db) => {
	const prepare = (text: string) => db.values<Cell[]>(sql.raw(text))
	const values = async (text: string): Promise<Rows> => cellsOf(await prepare(text))
	/** Runs statements as one transaction, so that all of them read one state. */
	const readTogether = async (texts: readonly string[]): Promise<Rows[]> => {
		const [first, ...rest] = texts.map(prepare) as unknown as BatchItem<'sqlite'>[]
		const results = first ? await db.batch([first, ...rest]) : []
		return (results as unknown as Rows[]).map(cellsOf)
	}
	const textLength = ({ textColumns }: Omit<BackupTable, 'lastRowid'>) =>
		['0', ...textColumns.map((name) => `coalesce(length(${quoteName(name)}), 0)`)].join(' + ')
	const columnList = ({ columns }: Omit<BackupTable, 'lastRowid'>) =>
		['rowid as "_rowid"', ...columns.map(quoteName)].join(', ')
	const changedIn = (table: string, { after, upTo }: ChangeRange) =>
		`
			select row_id from backup_changes
			where seq > ${whole(after)} ${upTo === null ? '' : `and seq <= ${whole(upTo)}`}
				and source = ${toTextLiteral(table)}
		`
	const perTable = (tables: readonly { name: string }[], expression: (name: string) => string): string[] =>
		Array.from({ length: Math.ceil(tables.length / COLUMNS_AT_ONCE) }, (_, page) => {
			const names = tables.slice(page * COLUMNS_AT_ONCE, (page + 1) * COLUMNS_AT_ONCE)
			return `
				select ${names.map(({ name }) => `(select ${expression(quoteName(name))}) as ${quoteName(name)}`).join(', ')}
			`
		})
	const byTable = (tables: readonly { name: string }[], pages: readonly Rows[]): Record<string, number> => {
		const cells = pages.flatMap(([row = []]) => row)
		return Object.fromEntries(tables.map(({ name }, at) => [name, Number(cells[at] ?? 0)]))
	}

	return {
		async readSchema(): Promise<Schema> {
			return schemaOf(await values(schemaSql))
		},

		/** Creates the triggers that record changes, and reads the schema and the last rows in the same transaction. */
		async watch(backupId: string, schema: Schema) {
			const creations = createTriggersStatements(
				backupId,
				schema.tables.map(({ name }) => name),
			)
			const lastRowids = perTable(schema.tables, lastRowid)
			const results = await readTogether([...creations, schemaSql, ...lastRowids])
			return {
				schema: schemaOf(results[creations.length] ?? []),
				lastRowids: byTable(schema.tables, results.slice(creations.length + 1)),
			}
		},

		async readLastRowids(schema: Schema): Promise<Record<string, number>> {
			const pages = await readTogether(perTable(schema.tables, lastRowid))
			return byTable(schema.tables, pages)
		},

		async readSequences(): Promise<Record<string, number>> {
			return sequencesOf(await values(sequencesQuery))
		},

		/** Returns the rowids after one, and about how many characters the row has. */
		async listSizes(
			table: BackupTable,
			after: number,
			limit: number,
		): Promise<[rowid: number, length: number][]> {
			const rows = await values(
				`
					select rowid as "_rowid", ${textLength(table)} as "_length" from ${quoteName(table.name)}
					where rowid > ${whole(after)} and rowid <= ${whole(table.lastRowid)}
					order by rowid limit ${whole(limit)}
				`,
			)
			return rows.map(([rowid, length]) => [Number(rowid), Number(length)])
		},

		/** Returns rows with their rowid first. */
		readRows(table: BackupTable, after: number, upTo: number): Promise<Rows> {
			return values(
				`
					select ${columnList(table)} from ${quoteName(table.name)}
					where rowid > ${whole(after)} and rowid <= ${whole(upTo)}
					order by rowid
				`,
			)
		},

		async findLastSeq(): Promise<number> {
			const [row] = await values('select max(seq) from backup_changes')
			return Number(row?.[0] ?? 0)
		},

		/** Returns about how many characters the changed rows of a range have. */
		async measureChanges(tables: readonly BackupTable[], range: ChangeRange): Promise<number> {
			const results = await readTogether(
				tables.map(
					(table) =>
						`
							select coalesce(sum(${textLength(table)}), 0) from ${quoteName(table.name)}
							where rowid in (${changedIn(table.name, range)})
						`,
				),
			)
			return results.reduce((sum, rows) => sum + Number(rows[0]?.[0] ?? 0), 0)
		},

		/** Returns about how many characters all rows have. Only for databases with few rows. */
		async measureAll(tables: readonly BackupTable[]): Promise<number> {
			const results = await readTogether(
				tables.map((table) => `select coalesce(sum(${textLength(table)}), 0) from ${quoteName(table.name)}`),
			)
			return results.reduce((sum, rows) => sum + Number(rows[0]?.[0] ?? 0), 0)
		},

		/** Reads the changed rows of a range, or all rows, and everything that describes this state, in one transaction. */
		async snapshot(
			backupId: string,
			tables: readonly BackupTable[],
			range: ChangeRange | 'all',
		): Promise<Snapshot> {
			const reads = tables.map(
				(table) =>
					`
						select ${columnList(table)}
						from ${quoteName(table.name)}${range === 'all' ? '' : ` where rowid in (${changedIn(table.name, range)})`}
						order by rowid
					`,
			)
			const counting = perTable(tables, (name) => `count(*) from ${name}`)
			const { after, upTo } = range === 'all' ? { after: 0, upTo: 0 } : range
			const changes = `
				select seq, source, row_id from backup_changes
				where seq > ${whole(after)} ${upTo === null ? '' : `and seq <= ${whole(upTo)}`}
				order by seq
			`
			const results = await readTogether([
				schemaSql,
				sequencesQuery,
				triggersSql,
				changes,
				...reads,
				...counting,
			])
			const [schema = [], sequences = [], triggers = [], changed = [], ...rest] = results
			const rowsRead = rest.slice(0, tables.length)
			return {
				rows: tables.map((table, at) => ({ table, rows: rowsRead[at] ?? [] })),
				changed: changed.map(([, table, rowid]) => ({ table: String(table), rowid: Number(rowid) })),
				lastSeq: Number(changed.at(-1)?.[0] ?? after),
				counts: byTable(tables, rest.slice(tables.length)),
				sequences: sequencesOf(sequences),
				schema: schemaOf(schema),
				triggers: triggers.filter(([name]) => hasBackupId(backupId, String(name))).length,
			}
		},

		async listTriggers(): Promise<string[]> {
			return (await values(triggersSql)).map(([name]) => String(name))
		},

		async dropTriggers(names: readonly string[]): Promise<void> {
			await readTogether(names.map((name) => `drop trigger if exists ${quoteName(name)}`))
		},
	}
}

/** The driver of libSQL returns rows that only look like arrays. */
const cellsOf = (rows: Rows): Rows => rows.map((row) => Array.from(row))

const sequencesOf = (rows: Rows): Record<string, number> =>
	Object.fromEntries(rows.map(([name, seq]) => [String(name), Number(seq)]))

function whole(value: number): string {
	if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no integer`)
	return String(value)
}

function schemaOf(rows: Rows): Schema {
	return {
		statements: rows.map(([, , statement]) => String(statement)),
		tables: rows.flatMap(([type, name, , info]) => {
			if (type !== 'table' || Object.hasOwn(leftOut, String(name))) return []
			const columns: [name: string, type: string][] = JSON.parse(String(info))
			return {
				name: String(name),
				columns: columns.map(([column]) => column),
				textColumns: columns.filter(([, type]) => /text|char|clob/i.test(type)).map(([column]) => column),
			}
		}),
	}
}
