import type { RunReport } from './summary.ts'

/** Statements that only D1 has to answer, each with the reason. */
const onD1Only: readonly { pattern: RegExp; reason: string }[] = []

/** Statements that the tests sent to D1 and none sent to libSQL; empty unless both projects ran. */
export function statementsMissingOnLibsql(statements: RunReport['statements']): string[] {
	const libsql = new Set(statements['edge-libsql'])
	const d1 = new Set(statements.edge)
	return [...d1].filter((sql) => !libsql.has(sql) && !onD1Only.some(({ pattern }) => pattern.test(sql)))
}

/** Other values, and other numbers of them, make no other statement. */
export function normalizeStatement(sql: string): string {
	return sql
		.replaceAll(/'(?:[^']|'')*'/g, '?')
		.replaceAll(/\b\d+(\.\d+)?(e\d+)?\b/g, '?')
		.replaceAll(/\?\?/g, '?')
		.replaceAll(/\s+/g, ' ')
		.replaceAll(/\?(, ?\?)+/g, '?, …')
		.replaceAll(/(\(\?(, …)?\))(, ?\(\?(, …)?\))+/g, '(?, …), …')
		.trim()
}
