import { connect } from '../migrate.ts'
import type { Control } from './control.ts'

const question = 'SELECT 1 FROM users LIMIT 1'

/** Whether anybody has signed up, wherever the database is. */
export async function hasUsers(
	control: Control,
	{ LIBSQL_URL: url, LIBSQL_AUTH_TOKEN: authToken }: Record<string, string>,
): Promise<boolean> {
	if (!url) return ((await control.query({ sql: question }))[0] ?? []).length > 0
	const client = connect({ url, authToken })
	try {
		return (await client.execute(question)).rows.length > 0
	} finally {
		client.close()
	}
}
