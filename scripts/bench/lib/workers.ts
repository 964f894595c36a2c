import { join } from 'node:path'
import { sign } from 'hono/jwt'
import { signup } from '../../../schema/contract/accounts/identity.ts'
import { createClient } from '../../../schema/contract/kit/client.ts'
import {
	bundleDeployedModules,
	bundleModules,
	type Database,
	openWorkerRuntime,
	readConfiguredWorker,
	SECRET,
} from './worker-runtime.ts'

export type Side = { url: string; token: string }

/** Starts the deployed Worker and the bare one, in one workerd on one database. */
export async function startWorkers(members: number) {
	const configured = await readConfiguredWorker()
	const { compatibilityDate, d1Databases } = configured
	const bare = { name: 'bare', compatibilityDate, d1Databases, bindings: { SECRET } }
	const workers = [
		{ ...configured, ...(await bundleDeployedModules()), name: 'ours' },
		{ ...bare, ...(await bundleModules(join(import.meta.dirname, '..', 'api', 'bare-worker.ts'))) },
	]
	return openWorkerRuntime(workers, async (runtime) => {
		const [oursUrl, bareUrl] = await Promise.all([runtime.readUrl('ours'), runtime.readUrl('bare')])
		const database = await runtime.openDatabase('ours')
		const { orgId, token, bareToken } = await fillOrg(database, oursUrl, members)
		return {
			ours: { url: oursUrl, token } satisfies Side,
			bare: { url: bareUrl, token: bareToken } satisfies Side,
			orgId,
		}
	})
}

/** Signs one person up through the API; inserts the other members by SQL. */
async function fillOrg(database: Database, url: string, members: number) {
	const client = createClient({ baseUrl: url, fetch })
	const person = { email: 'person0@example.org', password: 'correct horse battery', name: 'Person 0' }
	const { token, user, org } = (await client.call(signup, { body: person })).data
	const now = Date.now()
	await database.batch(
		Array.from({ length: members - 1 }, (_, i) => [
			database
				.prepare('insert into users (email, name, created_at, updated_at) values (?, ?, ?, ?)')
				.bind(`person${i + 1}@example.org`, `Person ${i + 1}`, now, now),
			database
				.prepare(
					'insert into org_members (org_id, user_id, role, created_at) values (?, last_insert_rowid(), ?, ?)',
				)
				.bind(org.id, 'member', now + i),
		]).flat(),
	)
	const [, payload = ''] = token.split('.')
	return { orgId: org.id, token, bareToken: await sign(JSON.parse(atob(payload)), SECRET, 'HS256'), user }
}
