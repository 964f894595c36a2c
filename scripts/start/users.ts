import type { Control } from '../lib/runtime/control.ts'

const sql = 'SELECT 1 FROM users LIMIT 1'

/** Returns whether an account exists, in D1 or libSQL. */
export async function hasUsers(
	control: Control,
	{ LIBSQL_URL: url, LIBSQL_AUTH_TOKEN: authToken }: Record<string, string>,
): Promise<boolean> {
	if (!url) return ((await control.query({ sql: sql }))[0] ?? []).length > 0
	// Its packages hold 25 MB, so they are loaded only where they are needed.
	const { connect } = await import('../migrate/main.ts')
	const client = connect({ url, authToken })
	try {
		return (await client.execute(sql)).rows.length > 0
	} finally {
		client.close()
	}
}
