import type { Side } from './workers.ts'

/** Returns the names and aliases of the tables in a statement. */
function namesIn(sql: string, tables: ReadonlySet<string>): Set<string> {
	const names = new Set<string>()
	for (const [, table = '', alias] of sql.matchAll(
		/\b(?:from|join|update|into)\s+"?(\w+)"?(?:\s+"?(\w+)"?)?/gi,
	))
		if (tables.has(table)) names.add(table).add(alias ?? table)
	return names
}

/** Returns the statements whose plan scans a whole table or index. */
export async function findScans({ database }: Side, statements: readonly string[]): Promise<string[]> {
	const { results } = await database
		.prepare("select name from sqlite_master where type = 'table'")
		.all<{ name: string }>()
	const tables = new Set(results.map(({ name }) => name))
	const scans: string[] = []
	for (const sql of statements) {
		// The plan does not depend on parameter values.
		const filled = sql.replaceAll(/\?\d*/g, 'null')
		const plan = await database.prepare(`explain query plan ${filled}`).all<{ detail: string }>()
		const names = namesIn(sql, tables)
		const found = plan.results.filter(({ detail }) => names.has(/^SCAN (\w+)/.exec(detail)?.[1] ?? ''))
		if (found.length > 0) scans.push(`${found.map(({ detail }) => detail).join('; ')}: ${sql}`)
	}
	return scans
}
