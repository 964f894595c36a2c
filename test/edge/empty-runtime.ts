import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { MemberStreams } from '../../edge/community/notifications/streams.ts'

/**
 * Empties the buckets, the cache and the Durable Objects with their alarms, sockets and streams, for a test that
 * starts from nothing. The runtime's own `reset` is no use: it skips objects that it has evicted from memory, so that now and
 * then a file found what the file before it had stored.
 */
export async function emptyRuntime(): Promise<void> {
	await Promise.all([
		emptyBucket(env.VAULT),
		emptyBucket(env.MEDIA),
		emptyCache(),
		emptyObjects(env.UPLOADS),
		emptyObjects(env.MEMBER_STREAMS),
		emptyObjects(env.FLEET),
	])
}

/** All tables of the schema, without a row in any. */
export async function emptyDatabase(): Promise<void> {
	const tables = await tableNames()
	await runBatch(
		tables.length > 0
			? tables.map((name) => `delete from "${name}"`)
			: env.MIGRATIONS.flatMap((migration) => migration.statements),
	)
}

export async function dropTables(): Promise<void> {
	const tables = await tableNames()
	await runBatch(tables.filter((name) => name !== 'sqlite_sequence').map((name) => `drop table "${name}"`))
}

export const runBatch = (statements: readonly string[]) =>
	env.DB.batch(statements.map((statement) => env.DB.prepare(statement)))

async function tableNames(): Promise<string[]> {
	const { results } = await env.DB.prepare(
		"select name from sqlite_master where type = 'table' and name not glob '_cf_*'",
	).all<{ name: string }>()
	return results.map(({ name }) => name)
}

async function emptyBucket(bucket: R2Bucket): Promise<void> {
	for (;;) {
		const { objects } = await bucket.list()
		if (objects.length === 0) return
		await bucket.delete(objects.map(({ key }) => key))
	}
}

// What a cache holds can't be listed, so each entry is remembered when it is put.
const cached = new Set<RequestInfo | URL>()
const { put } = caches.default
caches.default.put = (request, response) => {
	cached.add(request)
	return put.call(caches.default, request, response)
}

async function emptyCache(): Promise<void> {
	await Promise.all([...cached].map((request) => caches.default.delete(request)))
	cached.clear()
}

const emptied = new Set<string>()

async function emptyObjects(namespace: DurableObjectNamespace): Promise<void> {
	const ids = await listDurableObjectIds(namespace)
	// An emptied object stays in the list. Uploads are named by random ids, so no later test meets one of those.
	const used = namespace === env.UPLOADS ? ids.filter((id) => !emptied.has(String(id))) : ids
	await Promise.all(
		used.map((id) =>
			runInDurableObject(namespace.get(id), async (object, state) => {
				for (const socket of state.getWebSockets()) socket.close()
				if (object instanceof MemberStreams) object.beat(Number.POSITIVE_INFINITY)
				await state.storage.deleteAlarm()
				await state.storage.deleteAll()
			}),
		),
	)
	for (const id of used) emptied.add(String(id))
}
