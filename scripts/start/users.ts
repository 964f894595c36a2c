import type { Control } from '../lib/runtime/control.ts'
import { connect } from '../migrate/main.ts'

const sql = 'SELECT 1 FROM users LIMIT 1'

/** Returns whether an account exists, in D1 or libSQL. */
export async function hasUsers(
	control: Control,
	{ LIBSQL_URL: url, LIBSQL_AUTH_TOKEN: authToken }: Record<string, string>,
): Promise<boolean> {
	if (!url) return ((await control.query({ sql: sql }))[0] ?? []).length > 0
	const client = connect({ url, authToken })
	try {
		return (await client.execute(sql)).rows.length > 0
	} finally {
		client.close()
	}
}
