/** @module-tag d1 */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import { readCached, storeCached } from '../../../edge/platform/network/edge-cache.ts'
import { MACHINE_HEADER } from '../../../edge/video/fleet/machine-header.ts'
import { openWorld } from './world.ts'

const fleet = () => env.FLEET.getByName('fleet')
let upload: DurableObjectStub

/** Stores what a test may leave behind, also in Durable Objects that are evicted later. */
beforeEach(async () => {
	upload = env.UPLOADS.getByName(crypto.randomUUID())
	const world = await openWorld()
	await world.person()
	await env.VAULT.put('source', 'bytes')
	await env.MEDIA.put('segment', 'bytes')
	await storeCached('a video', { title: 'Film' }, 60)
	for (const stub of [upload, fleet()])
		await runInDurableObject(stub, async (_, { storage }) => {
			await storage.put('key', 'value')
			await storage.setAlarm(Date.now() + 3_600_000)
		})
})

test.for(['in memory', 'evicted'])(
	'a test starts with empty Durable Objects that are %s, buckets, cache and database',
	async (state) => {
		// Only these: evicting all objects would wait for whatever earlier files left running in others.
		if (state === 'evicted')
			for (const stub of [upload, fleet()]) await evictDurableObject(stub, { webSockets: 'close' })
		const world = await openWorld()
		expect(await world.dump()).toSatisfy((tables) =>
			Object.values(tables as object).every((rows) => rows.length === 0),
		)
		// On libSQL, each world has a new database.
		if (!env.LIBSQL_BASE)
			expect(await env.DB.prepare('select * from sqlite_sequence').all()).toMatchObject({ results: [] })
		expect((await env.VAULT.list()).objects).toEqual([])
		expect((await env.MEDIA.list()).objects).toEqual([])
		expect(await readCached('a video')).toBeNull()
		for (const stub of [upload, fleet()]) {
			expect(await runInDurableObject(stub, (_, { storage }) => storage.get('key'))).toBeUndefined()
			expect(await runDurableObjectAlarm(stub)).toBe(false)
		}
	},
)

test('a test starts with the streams and sockets of the previous one closed', async () => {
	const streams = env.LIVE_STREAMS.getByName('community-1')
	const opening = {
		...{ topics: ['member:1'], holder: 'member:1', access: 'ses_1', address: '192.0.2.1' },
		...{ lastEventId: null, token: null, now: 0 },
	}
	const stream = await streams.fetch(
		`https://streams.test/?${new URLSearchParams({ opening: JSON.stringify(opening) })}`,
		{ headers: { upgrade: 'websocket' } },
	)
	stream.webSocket?.accept()
	const socket = await fleet().fetch('https://fleet.test/', {
		headers: { upgrade: 'websocket', [MACHINE_HEADER]: 'mac_1' },
	})
	socket.webSocket?.accept()
	await openWorld()
	for (const stub of [streams, fleet()])
		expect(
			await runInDurableObject(stub, (_, state) =>
				state.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN),
			),
		).toEqual([])
})
