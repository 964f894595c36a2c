/** JSON messages of Hrana 2 and 3, with the names of the protocol. */
export type Value =
	| { type: 'null' }
	| { type: 'integer'; value: string }
	| { type: 'float'; value: number }
	| { type: 'text'; value: string }
	| { type: 'blob'; base64: string }

type Text = { sql?: string; sql_id?: number }

export type Statement = Text & {
	args?: Value[]
	named_args?: { name: string; value: Value }[]
	want_rows?: boolean
}

export type Condition =
	| { type: 'ok' | 'error'; step: number }
	| { type: 'not'; cond: Condition }
	| { type: 'and' | 'or'; conds: Condition[] }
	| { type: 'is_autocommit' }

export type Batch = { steps: { condition?: Condition | null; stmt: Statement }[] }

export type StreamRequest =
	| { type: 'execute'; stmt: Statement }
	| { type: 'batch'; batch: Batch }
	| ({ type: 'sequence' } & Text)
	| { type: 'store_sql'; sql_id: number; sql: string }
	| { type: 'close_sql'; sql_id: number }
	| { type: 'get_autocommit' }
	| { type: 'close' }

export type Failure = { message: string; code: string }

export type StatementResult = {
	cols: { name: string; decltype: string | null }[]
	rows: Value[][]
	affected_row_count: number
	last_insert_rowid: string | null
}

export type BatchResult = { step_results: (StatementResult | null)[]; step_errors: (Failure | null)[] }

export type StreamResult =
	| { type: 'ok'; response: { type: string } & Record<string, unknown> }
	| { type: 'error'; error: Failure }

export type Pipeline = { baton?: string | null; requests: StreamRequest[] }

// Values of the engine. Integers are bigint in both directions, so that they keep all digits.
type Native = null | bigint | number | string | Uint8Array

export function toNative(value: Value): Native {
	switch (value.type) {
		case 'null':
			return null
		case 'integer':
			return BigInt(value.value)
		case 'blob':
			return Buffer.from(value.base64, 'base64')
		default:
			return value.value
	}
}

export function fromNative(value: Native): Value {
	if (value === null) return { type: 'null' }
	if (typeof value === 'bigint') return { type: 'integer', value: String(value) }
	if (typeof value === 'number') return { type: 'float', value }
	if (typeof value === 'string') return { type: 'text', value }
	// The real server sends no padding.
	return { type: 'blob', base64: Buffer.from(value).toString('base64').replace(/=+$/, '') }
}
