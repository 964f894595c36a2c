import type { Client } from '@libsql/client'
import { BEFORE_ALL_ROWS } from '../../../edge/operations/backups/format/rowids.ts'
import { buildSchemaQuery, sequencesQuery } from '../../../edge/operations/backups/format/schema-sql.ts'
import { quoteName, toTextLiteral } from '../../../edge/operations/backups/format/sql-text.ts'

/** D1 rejects statements of more than 100,000 bytes. */
const STATEMENT_BYTES = 90_000
/** A piece of a long text, which may grow when it is quoted and encoded. */
const PIECE_CHARACTERS = 20_000
const ROWS_AT_ONCE = 200

/** Yields the statements that create a copy of a database, for D1's import. Each is short enough for it. */
export async function* dumpStatements(client: Client): AsyncGenerator<string> {
	const { rows: schema } = await client.execute(buildSchemaQuery())
	const tables = schema.filter(({ type }) => type === 'table').map(({ name }) => String(name))
	for (const { type, sql } of schema) if (type === 'table') yield String(sql)
	for (const table of tables) yield* rowStatements(client, table)
	yield 'delete from sqlite_sequence'
	const { rows: sequences } = await client.execute(sequencesQuery)
	for (const { name, seq } of sequences)
		yield `insert into sqlite_sequence (name, seq) values (${literalOf(name)}, ${literalOf(seq)})`
	for (const { type, sql } of schema) if (type === 'index') yield String(sql)
}

async function* rowStatements(client: Client, table: string): AsyncGenerator<string> {
	for (let after = BEFORE_ALL_ROWS; ; ) {
		const { rows, columns } = await client.execute({
			sql: `select rowid as "_rowid", * from ${quoteName(table)} where rowid > ? order by rowid limit ${ROWS_AT_ONCE}`,
			args: [after],
		})
		for (const row of rows) {
			const [rowid, ...values] = Array.from(row as ArrayLike<unknown>)
			yield* insertStatements(table, columns.slice(1), Number(rowid), values)
			after = Number(rowid)
		}
		if (rows.length < ROWS_AT_ONCE) return
	}
}

function* insertStatements(
	table: string,
	columns: readonly string[],
	rowid: number,
	values: readonly unknown[],
): Generator<string> {
	const insert = (literals: readonly string[]) =>
		`insert into ${quoteName(table)} (rowid, ${columns.map(quoteName).join(', ')}) values (${rowid}, ${literals.join(', ')})`
	const whole = insert(values.map(literalOf))
	if (Buffer.byteLength(whole) <= STATEMENT_BYTES) return yield whole
	const isLong = (value: unknown): value is string =>
		typeof value === 'string' && value.length > PIECE_CHARACTERS / columns.length
	yield insert(values.map((value) => (isLong(value) ? "''" : literalOf(value))))
	for (const [at, value] of values.entries()) {
		const column = quoteName(columns[at] ?? '')
		if (isLong(value))
			for (const piece of piecesOf(value))
				yield `update ${quoteName(table)} set ${column} = ${column} || ${literalOf(piece)} where rowid = ${rowid}`
	}
}

/** Splits a text without cutting a surrogate pair. */
function* piecesOf(text: string): Generator<string> {
	for (let start = 0; start < text.length; ) {
		let end = Math.min(text.length, start + PIECE_CHARACTERS)
		if (end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1] ?? '')) end--
		yield text.slice(start, end)
		start = end
	}
}

function literalOf(value: unknown): string {
	if (value === null) return 'null'
	if (typeof value === 'number') return String(value)
	if (typeof value !== 'string') throw new Error(`a value of type ${typeof value} can't be written as SQL`)
	// A statement ends at a NUL character.
	if (value.includes('\0')) return `cast(x'${Buffer.from(value).toString('hex')}' as text)`
	return toTextLiteral(value)
}
