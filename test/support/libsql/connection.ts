import Database from 'libsql'
import {
	type Batch,
	type BatchResult,
	type Condition,
	type Failure,
	fromNative,
	type Statement,
	type StatementResult,
	type StreamRequest,
	type StreamResult,
	toNative,
} from './hrana.ts'

/**
 * One Hrana stream at a time: a connection to the database and the texts that were stored on it. Reading the schema
 * of a database is most of what a new connection costs, so a closed stream's connection serves the next one.
 */
export class Connection {
	readonly #db: Database.Database
	readonly #counters: Database.Statement
	readonly #texts = new Map<number, string>()
	#open = true
	#reusable = true

	constructor(file: string) {
		// One thread serves every stream, so waiting here for another stream's lock could never end well.
		this.#db = new Database(file, { timeout: 0 })
		this.#db.exec('PRAGMA journal_mode = wal; PRAGMA synchronous = off; PRAGMA foreign_keys = on')
		this.#db.exec('PRAGMA temp_store = memory; CREATE TEMP TABLE fresh_stream (id INTEGER PRIMARY KEY)')
		this.#counters = this.#db
			.prepare('SELECT changes() AS changes, total_changes() AS total, last_insert_rowid() AS rowid')
			.safeIntegers(true)
	}

	get open(): boolean {
		return this.#open
	}

	/**
	 * Whether a later stream may have this connection. The engine leaves statements that failed, and those that explain,
	 * unfinished, and with one unfinished no transaction can be committed.
	 */
	get reusable(): boolean {
		return this.#reusable
	}

	/** Ends the stream; what it had not committed is rolled back. */
	close(): void {
		this.#texts.clear()
		this.#open = false
		if (!this.#db.inTransaction) return
		try {
			this.#db.exec('ROLLBACK')
		} catch {
			// The connection is disposed of, which rolls back as well.
			this.#reusable = false
		}
	}

	/** Begins another stream, for which `changes()` and `last_insert_rowid()` are 0 as on a new connection. */
	reopen(): void {
		this.#db.exec('INSERT INTO fresh_stream VALUES (0); DELETE FROM fresh_stream; DELETE FROM fresh_stream')
		this.#open = true
	}

	/** Gives the connection up for good. */
	dispose(): void {
		this.#open = false
		this.#db.close()
	}

	answer(request: StreamRequest): StreamResult {
		try {
			return { type: 'ok', response: { type: request.type, ...this.#handle(request) } }
		} catch (error) {
			return { type: 'error', error: this.#fail(error) }
		}
	}

	#fail(error: unknown): Failure {
		this.#reusable = false
		return failureOf(error)
	}

	#handle(request: StreamRequest): Record<string, unknown> {
		if (!this.#open) throw new ProtocolError('the stream is closed')
		switch (request.type) {
			case 'execute':
				return { result: this.#execute(request.stmt) }
			case 'batch':
				return { result: this.#batch(request.batch) }
			case 'sequence':
				this.#db.exec(this.#textOf(request))
				return {}
			case 'store_sql':
				this.#texts.set(request.sql_id, request.sql)
				return {}
			case 'close_sql':
				this.#texts.delete(request.sql_id)
				return {}
			case 'get_autocommit':
				return { is_autocommit: !this.#db.inTransaction }
			case 'close':
				this.close()
				return {}
			default:
				throw new ProtocolError(`this server does not know the request ${(request as { type: string }).type}`)
		}
	}

	#execute(statement: Statement): StatementResult {
		const text = this.#textOf(statement)
		if (/^\s*explain\b/i.test(text)) this.#reusable = false
		const prepared = this.#db.prepare<unknown[]>(text)
		prepared.safeIntegers(true)
		const args = bindings(statement)
		const before = this.#count()
		if (!prepared.reader) {
			prepared.run(args)
			return { cols: [], rows: [], ...this.#effect(before) }
		}
		prepared.raw(true)
		const cols = prepared.columns().map(({ name, type }) => ({ name, decltype: type }))
		const rows = prepared.all(args) as Parameters<typeof fromNative>[0][][]
		return {
			cols,
			rows: statement.want_rows === false ? [] : rows.map((row) => Array.from(row, fromNative)),
			...this.#effect(before),
		}
	}

	#batch({ steps }: Batch): BatchResult {
		const result: BatchResult = { step_results: [], step_errors: [] }
		for (const { condition, stmt } of steps) {
			let done: StatementResult | null = null
			let failure: Failure | null = null
			if (!condition || this.#holds(condition, result)) {
				try {
					done = this.#execute(stmt)
				} catch (error) {
					failure = this.#fail(error)
				}
			}
			result.step_results.push(done)
			result.step_errors.push(failure)
		}
		return result
	}

	/** A step that was passed over is neither ok nor an error. */
	#holds(condition: Condition, soFar: BatchResult): boolean {
		switch (condition.type) {
			case 'ok':
				return Boolean(soFar.step_results[condition.step])
			case 'error':
				return Boolean(soFar.step_errors[condition.step])
			case 'not':
				return !this.#holds(condition.cond, soFar)
			case 'and':
				return condition.conds.every((one) => this.#holds(one, soFar))
			case 'or':
				return condition.conds.some((one) => this.#holds(one, soFar))
			case 'is_autocommit':
				return !this.#db.inTransaction
		}
	}

	#textOf({ sql, sql_id }: { sql?: string; sql_id?: number }): string {
		const text = sql ?? (sql_id === undefined ? undefined : this.#texts.get(sql_id))
		if (text === undefined) throw new ProtocolError('neither sql nor a stored sql_id was given')
		return text
	}

	#count(): { changes: number; total: number; rowid: bigint } {
		const row = this.#counters.get([]) as { changes: bigint; total: bigint; rowid: bigint }
		return { changes: Number(row.changes), total: Number(row.total), rowid: row.rowid }
	}

	// The engine's changes() keeps its value over a statement that writes nothing, hence the totals.
	#effect(before: { total: number }): Pick<StatementResult, 'affected_row_count' | 'last_insert_rowid'> {
		const after = this.#count()
		return {
			affected_row_count: after.total > before.total ? after.changes : 0,
			last_insert_rowid: String(after.rowid),
		}
	}
}

class ProtocolError extends Error {}

function bindings(statement: Statement): unknown[] | Record<string, unknown> {
	if (!statement.named_args?.length) return (statement.args ?? []).map(toNative)
	return Object.fromEntries(
		statement.named_args.map(({ name, value }) => [name.replace(/^[:@$]/, ''), toNative(value)]),
	)
}

/** Codes and wording are those of libsql-server: the primary code only, and a prefix before the engine's words. */
function failureOf(error: unknown): Failure {
	const { message, code } = error as { message: string; code?: string }
	if (error instanceof ProtocolError) return { message, code: 'PROTOCOL_ERROR' }
	if (!code?.startsWith('SQLITE_')) return { message, code: 'INTERNAL_ERROR' }
	const primary = code.split('_').slice(0, 2).join('_')
	if (primary === 'SQLITE_ERROR')
		return { message: `SQL input error: ${message} (at offset 0)`, code: 'SQL_INPUT_ERROR' }
	return { message: `SQLite error: ${message}`, code: primary }
}
