import type { RunReport } from './summary.ts'

/** Far below what the suite sends, and far above what is left when nothing is recorded any more. */
const FEWEST_STATEMENTS = 500

/** What is wrong with a run of all tests: statements that the Worker sent to D1 and never to libSQL. */
export function statementProblems(statements: RunReport['statements']): string[] {
	const d1 = new Set(statements.edge)
	const libsql = new Set(statements['edge-libsql'])
	if (d1.size < FEWEST_STATEMENTS) return [`only ${d1.size} statements were recorded on D1`]
	return [...d1].filter((sql) => !libsql.has(sql)).map((sql) => `seen on D1, never on libSQL: ${sql}`)
}

/** Removes values and the lengths of lists, so that statements which differ only in them are equal. */
export function normalizeStatement(sql: string): string {
	return sql
		.replaceAll(/'(?:[^']|'')*'/g, '?')
		.replaceAll(/\b\d+(\.\d+)?(e\d+)?\b/g, '?')
		.replaceAll(/\?\?/g, '?')
		.replaceAll(/\s+/g, ' ')
		.replaceAll(/\?(, ?\?)+/g, '?')
		.replaceAll(/\(\?\)(, ?\(\?\))+/g, '(?)')
		.trim()
}
