import { rejectOldDatabase } from './migrations.ts'

/** Runs one statement. */
export type Query = (sql: string) => Promise<Record<string, unknown>[]>

/** Returns the migrations that a database lacks. */
export async function listPending(query: Query, migrations: readonly string[]): Promise<string[]> {
	if (!(await hasTable(query, 'd1_migrations'))) return [...migrations]
	const applied = new Set((await query('select name from d1_migrations')).map(({ name }) => name))
	rejectOldDatabase(applied)
	return migrations.filter((name) => !applied.has(name))
}

/** Whether a database has accounts; without any, a backup is pointless. */
export const hasAccounts = async (query: Query): Promise<boolean> =>
	(await hasTable(query, 'users')) && (await query('select 1 from users limit 1')).length > 0

const hasTable = async (query: Query, name: 'd1_migrations' | 'users'): Promise<boolean> =>
	(await query(`select 1 from sqlite_master where type = 'table' and name = '${name}'`)).length > 0
