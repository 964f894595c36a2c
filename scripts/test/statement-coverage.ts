import type { RunReport } from './summary.ts'

/** Far fewer than the suite sends, and far more than a broken recording would contain. */
const MIN_STATEMENTS = 500

/** Returns a problem for each statement that a run of all tests sent to D1 and never to libSQL. */
export function statementProblems(statements: RunReport['statements']): string[] {
	const d1 = new Set(statements.edge)
	const libsql = new Set(statements['edge-libsql'])
	if (d1.size < MIN_STATEMENTS) return [`only ${d1.size} statements were recorded on D1`]
	return [...d1]
		.filter((sql) => !libsql.has(sql))
		.map((sql) => `sent to D1, never to libSQL (take the tag d1 from a test that sends it): ${sql}`)
}

/** Removes values, ids in names, and the lengths of lists, so that statements which differ only in them are equal. */
export function normalizeStatement(sql: string): string {
	return sql
		.replaceAll(/'(?:[^']|'')*'/g, '?')
		.replaceAll(/(?<=_)[0-9a-z]{26}(?=_)/g, '?')
		.replaceAll(/\b\d+(\.\d+)?(e\d+)?\b/g, '?')
		.replaceAll(/\?\?/g, '?')
		.replaceAll(/\s+/g, ' ')
		.replaceAll(/\?(, ?\?)+/g, '?')
		.replaceAll(/\(\?\)(, ?\(\?\))+/g, '(?)')
		.trim()
}
