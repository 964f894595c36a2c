import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'

/**
 * Empties the buckets, the cache and the Durable Objects with their alarms, sockets and streams. The runtime's `reset`
 * skips Durable Objects that were evicted from memory, so a test file would find what an earlier file stored.
 */
export async function emptyRuntime(): Promise<void> {
	// Uploads that still write are ended before the buckets are emptied.
	await Promise.all([
		...[env.UPLOADS, env.PLAYBACK_SESSIONS, env.ORG_ANALYTICS].map(emptyObjects),
		emptyLiveStreams(),
		emptyFleet(),
		emptyMetrics(),
		emptyBackupDrill(),
	])
	await Promise.all([emptyBucket(env.VAULT), emptyBucket(env.MEDIA), emptyCache()])
}

/** Empties every table, and creates the schema if it is missing. */
export async function emptyDatabase(): Promise<void> {
	const { results } = await env.DB.prepare(
		"select name from sqlite_master where type = 'table' and name not glob '_cf_*'",
	).all<{ name: string }>()
	const tables = results.map(({ name }) => name)
	if (tables.length === 0) {
		await runBatch(env.MIGRATIONS.flatMap((migration) => migration.statements))
		return
	}
	const parts = Array.from({ length: Math.ceil(tables.length / MAX_COLUMNS) }, (_, part) =>
		tables.slice(part * MAX_COLUMNS, (part + 1) * MAX_COLUMNS),
	)
	const hasRows = (name: string) => `exists (select 1 from "${name}") as "${name}"`
	const [found, ...filled] = await runBatch([
		"select name from sqlite_master where type = 'trigger'",
		...parts.map((names) => `select ${names.map(hasRows).join(', ')}`),
	])
	const triggers = (found?.results ?? []) as { name: string }[]
	const statements = [
		// The schema has no triggers; a trigger is left from a test that failed before dropping it.
		...triggers.map(({ name }) => `drop trigger "${name}"`),
		...filled
			.flatMap(({ results }) => Object.entries(results[0] ?? {}))
			.flatMap(([name, isFilled]) => (isFilled ? [`delete from "${name}"`] : [])),
	]
	if (statements.length > 0) await runBatch(statements)
}

/** D1 allows 100 columns in a result. */
const MAX_COLUMNS = 90

export const runBatch = (statements: readonly string[]) =>
	env.DB.batch(statements.map((statement) => env.DB.prepare(statement)))

async function emptyBucket(bucket: R2Bucket): Promise<void> {
	for (;;) {
		const { objects } = await bucket.list()
		if (objects.length === 0) return
		await bucket.delete(objects.map(({ key }) => key))
	}
}

// The entries of a cache can't be listed, so each is recorded when it is put.
const cachedRequests = new Set<RequestInfo | URL>()
const { put } = caches.default
caches.default.put = (request, response) => {
	cachedRequests.add(request)
	return put.call(caches.default, request, response)
}

async function emptyCache(): Promise<void> {
	await Promise.all([...cachedRequests].map((request) => caches.default.delete(request)))
	cachedRequests.clear()
}

const emptiedIds = new Set<string>()

/** Objects of assets and organizations have random names, so no later test uses one of them. */
async function emptyObjects(namespace: DurableObjectNamespace): Promise<void> {
	// Emptied objects stay in the list.
	const ids = (await listDurableObjectIds(namespace)).filter((id) => !emptiedIds.has(String(id)))
	await Promise.all(ids.map((id) => emptyObject(namespace.get(id))))
	for (const id of ids) emptiedIds.add(String(id))
}

/** Objects with names that later tests use again are recorded when they are called: waking all of them takes long. */
function recordCalls(namespace: DurableObjectNamespace) {
	const called = new Set<string>()
	const { getByName } = namespace
	namespace.getByName = (name, options) => {
		called.add(name)
		return getByName.call(namespace, name, options)
	}
	return async () => {
		await Promise.all([...called].map((name) => emptyObject(getByName.call(namespace, name))))
		called.clear()
	}
}
const emptyLiveStreams = recordCalls(env.LIVE_STREAMS)
const emptyFleet = recordCalls(env.FLEET)
const emptyMetrics = recordCalls(env.METRICS)
const emptyBackupDrill = recordCalls(env.BACKUP_DRILL)

const emptyObject = (stub: DurableObjectStub): Promise<void> =>
	runInDurableObject(stub, async (_, state) => {
		for (const socket of state.getWebSockets()) socket.close()
		await state.storage.deleteAlarm()
		await state.storage.deleteAll()
	})
