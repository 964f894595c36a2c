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
 * A database connection with the SQL texts that were stored on it. It serves one Hrana stream at a time. A closed stream's
 * connection is reused, as a new connection takes long to read the schema.
 */
export class Connection {
	readonly #db: Database.Database
	readonly #counters: Database.Statement
	readonly #texts = new Map<number, string>()
	#open = true
	#reusable = true

	constructor(file: string) {
		// One thread serves all streams, so waiting for another stream's lock would be a deadlock.
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
	 * Whether a later stream may use this connection. The engine does not finish statements that failed and EXPLAIN
	 * statements, and no transaction can be committed while one is unfinished.
	 */
	get reusable(): boolean {
		return this.#reusable
	}

	/** Ends the stream and rolls back an open transaction. */
	close(): void {
		this.#texts.clear()
		this.#open = false
		if (!this.#db.inTransaction) return
		try {
			this.#db.exec('ROLLBACK')
		} catch {
			// The connection is closed, which rolls back as well.
			this.#reusable = false
		}
	}

	/** Starts another stream; `changes()` and `last_insert_rowid()` are 0 as on a new connection. */
	reopen(): void {
		this.#db.exec('INSERT INTO fresh_stream VALUES (0); DELETE FROM fresh_stream; DELETE FROM fresh_stream')
		this.#open = true
	}

	/** Closes the connection. */
	dispose(): void {
		this.#open = false
		this.#db.close()
	}

	respond(request: StreamRequest): StreamResult {
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
				throw new ProtocolError(
					`this server does not support the request ${(request as { type: string }).type}`,
				)
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
			if (!condition || this.#isMet(condition, result)) {
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

	/** A skipped step is neither ok nor an error. */
	#isMet(condition: Condition, soFar: BatchResult): boolean {
		switch (condition.type) {
			case 'ok':
				return Boolean(soFar.step_results[condition.step])
			case 'error':
				return Boolean(soFar.step_errors[condition.step])
			case 'not':
				return !this.#isMet(condition.cond, soFar)
			case 'and':
				return condition.conds.every((each) => this.#isMet(each, soFar))
			case 'or':
				return condition.conds.some((each) => this.#isMet(each, soFar))
			case 'is_autocommit':
				return !this.#db.inTransaction
		}
	}

	#textOf({ sql, sql_id }: { sql?: string; sql_id?: number }): string {
		const text = sql ?? (sql_id === undefined ? undefined : this.#texts.get(sql_id))
		if (text === undefined) throw new ProtocolError('the request has neither sql nor a stored sql_id')
		return text
	}

	#count(): { changes: number; total: number; rowid: bigint } {
		const row = this.#counters.get([]) as { changes: bigint; total: bigint; rowid: bigint }
		return { changes: Number(row.changes), total: Number(row.total), rowid: row.rowid }
	}

	// The engine's changes() keeps its value after a statement that writes nothing, so the totals are compared.
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

/** The code and message as libsql-server sends them: only the primary code, and a prefix before the engine's message. */
function failureOf(error: unknown): Failure {
	const { message, code } = error as { message: string; code?: string }
	if (error instanceof ProtocolError) return { message, code: 'PROTOCOL_ERROR' }
	if (!code?.startsWith('SQLITE_')) return { message, code: 'INTERNAL_ERROR' }
	const primary = code.split('_').slice(0, 2).join('_')
	if (primary === 'SQLITE_ERROR')
		return { message: `SQL input error: ${message} (at offset 0)`, code: 'SQL_INPUT_ERROR' }
	return { message: `SQLite error: ${message}`, code: primary }
}
