import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { MemberStreams } from '../../../edge/community/notifications/streams.ts'

/**
 * Empties the buckets, the cache and the Durable Objects with their alarms, sockets and streams. The runtime's `reset`
 * skips Durable Objects that were evicted from memory, so a test file would find what an earlier file stored.
 */
export async function emptyRuntime(): Promise<void> {
	// Uploads that still write are ended before the buckets are emptied.
	await Promise.all([env.UPLOADS, env.MEMBER_STREAMS, env.FLEET].map(emptyObjects))
	await Promise.all([emptyBucket(env.VAULT), emptyBucket(env.MEDIA), emptyCache()])
}

/** Empties every table, and creates the schema if it is missing. */
export async function emptyDatabase(): Promise<void> {
	const { triggers, tables, filled } = await readContent()
	if (tables.length === 0) {
		await runBatch(env.MIGRATIONS.flatMap((migration) => migration.statements))
		return
	}
	// The schema has no triggers; a trigger is left from a test that failed before dropping it.
	const statements = [
		...triggers.map((name) => `drop trigger "${name}"`),
		...filled.map((name) => `delete from "${name}"`),
	]
	if (statements.length > 0) await runBatch(statements)
}

export const runBatch = (statements: readonly string[]) =>
	env.DB.batch(statements.map((statement) => env.DB.prepare(statement)))

/** The limit of D1 is 100. */
const MAX_COLUMNS = 90

/** The tables of the test before: all tests have the same ones, but for the few that change the schema. */
let knownTables: string[] = []

/** Reads the names of all triggers and tables, and of the tables that have rows. */
async function readContent() {
	const parts = Array.from({ length: Math.ceil(knownTables.length / MAX_COLUMNS) }, (_, part) =>
		knownTables.slice(part * MAX_COLUMNS, (part + 1) * MAX_COLUMNS),
	)
	const hasRows = (name: string) => `exists (select 1 from "${name}") as "${name}"`
	const results = await runBatch([
		"select type, name from sqlite_master where type in ('trigger', 'table') and name not glob '_cf_*'",
		...parts.map((names) => `select ${names.map(hasRows).join(', ')}`),
	])
	const [content, ...rows] = results.map((result) => result.results as Record<string, string | number>[])
	const namesOf = (type: string) =>
		(content ?? []).flatMap((row) => (row.type === type ? String(row.name) : []))
	const tables = namesOf('table')
	const isKnown = tables.join() === knownTables.join()
	const filled = isKnown ? knownTables.filter((name) => rows.some(([row]) => row?.[name] === 1)) : tables
	knownTables = tables
	return { triggers: namesOf('trigger'), tables, filled }
}

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

async function emptyObjects(namespace: DurableObjectNamespace): Promise<void> {
	const ids = await listDurableObjectIds(namespace)
	// Emptied objects stay in the list. Uploads have random IDs, so no later test uses one of them.
	const used = namespace === env.UPLOADS ? ids.filter((id) => !emptiedIds.has(String(id))) : ids
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
	for (const id of used) emptiedIds.add(String(id))
}
