type Value = string | number | null
export type Statement = { sql: string; args: Value[] }
export type Result = { columns: string[]; rows: Value[][] }

/** Returns a minimal D1 binding for another database. `run` is one transaction. */
export function createD1Binding(run: (statements: readonly Statement[]) => Promise<Result[]>): D1Database {
	type Prepared = Statement & Pick<D1PreparedStatement, 'bind' | 'all' | 'raw' | 'run'>
	const runOne = async (one: Statement) => (await run([one]))[0] ?? { columns: [], rows: [] }
	const prepare = (sql: string, ...args: Value[]): Prepared => {
		const all = async () => resultOf(await runOne({ sql, args }))
		return {
			...{ sql, args },
			bind: (...values) => prepare(sql, ...(values as Value[])) as unknown as D1PreparedStatement,
			all: all as D1PreparedStatement['all'],
			run: all as D1PreparedStatement['run'],
			raw: (async () => (await runOne({ sql, args })).rows) as D1PreparedStatement['raw'],
		}
	}
	return {
		prepare,
		batch: async (prepared: readonly Statement[]) =>
			(await run(prepared.map(({ sql, args }) => ({ sql, args })))).map(resultOf),
	} as unknown as D1Database
}

const resultOf = ({ columns, rows }: Result) => ({
	results: rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null]))),
})
