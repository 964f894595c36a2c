import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { sendPlayerEvents } from '#schema/contract/watch/analytics/player-events.ts'
import { updateSettings } from '#schema/contract/watch/settings/settings.ts'
import type { PlaybackSessions } from '../../../../../edge/watch/analytics/sessions/session-object.ts'
import { formatObjectName, ROOT } from '../../../../../edge/watch/analytics/sessions/shards/shards.ts'
import { storedObjects } from '../../../../support/edge/stored-objects.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { makeReady } from '../../playback/ready-asset.ts'
import { stateAt } from '../states.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const SALTS = 'analytics-salts/'
const EACH_TEN_MINUTES = '*/10 * * * *'

type Film = { id: string; playbackId: string }
type Viewer = { ip: string; agent: string }
type Isolate = typeof import('../../../../../edge/watch/analytics/ingest/visitor.ts')

const eve: Viewer = {
	ip: '203.0.113.77',
	agent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.77.0 Safari/537',
}
const otherAddress = { ...eve, ip: '203.0.113.78' }
const otherBrowser = { ...eve, agent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' }

let world: World
let ada: Person
let film: Film
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	film = await makeReady(world, ada)
})

let sessions = 0
/** Lets somebody watch a video; returns the id of the session. */
async function watch(of: Film, { ip, agent }: Viewer): Promise<string> {
	const sessionId = `session-${++sessions}`
	const event = { kind: 'heartbeat', playbackId: of.playbackId, sessionId, state: stateAt(3) }
	const answer = await world.ask(
		sendPlayerEvents,
		{ body: { events: [event] } },
		{ ip, headers: { 'user-agent': agent } },
	)
	expect(answer.ok.data.accepted).toBe(1)
	return sessionId
}

const objectOf = ({ playbackId }: Film) =>
	(env.PLAYBACK_SESSIONS as DurableObjectNamespace<PlaybackSessions>).getByName(
		formatObjectName(playbackId, ROOT),
	)

/** Lets somebody watch a video; returns the mark that is stored about the visitor. */
async function markOf(of: Film, viewer: Viewer): Promise<string | null> {
	const id = await watch(of, viewer)
	return runInDurableObject(objectOf(of), (_, { storage }) => {
		const pages = storage.sql.exec<{ sessions: string }>('select sessions from pages').toArray()
		const stored: { id: string; visitor: string | null }[] = pages.flatMap((page) =>
			JSON.parse(page.sessions),
		)
		const found = stored.find((session) => session.id === id)
		if (!found) throw new Error(`${id} is not stored`)
		return found.visitor
	})
}

let isolates = 0
/** Starts the module again, which keeps the salt of a day in memory. A query makes it another module. */
const startIsolate = (): Promise<Isolate> => {
	const path = '../../../../../edge/watch/analytics/ingest/visitor.ts'
	return import(/* @vite-ignore */ `${path}?isolate=${++isolates}`)
}

const markIn = ({ markVisitor: visitorMark }: Isolate, { ip, agent } = eve): Promise<string> =>
	world.perform((deps) => visitorMark(deps, ada.orgId, ip, new Headers({ 'user-agent': agent })))
const markInNewIsolate = async () => markIn(await startIsolate())

const vaultKeys = async () => (await storedObjects(env.VAULT)).map(({ key }) => key)

describe('the mark of a visitor', { tags: 'd1' }, () => {
	test('the mark of a visitor is equal for one address and browser during a day, and else differs', async () => {
		const second = await makeReady(world, ada)
		const mark = await markOf(film, eve)
		expect(mark).toMatch(/^[\da-f]{16}$/)
		world.pass(11 * HOUR)
		expect(await markOf(film, eve)).toBe(mark)
		expect(await markOf(second, eve)).toBe(mark)
		const bob = await world.person()
		const marks = [
			mark,
			await markOf(film, otherAddress),
			await markOf(film, otherBrowser),
			await markOf(await makeReady(world, bob), eve),
		]
		expect(new Set(marks).size).toBe(4)
	})

	test('the mark of a visitor changes on the next day', async () => {
		const mark = await markOf(film, eve)
		world.pass(12 * HOUR)
		expect(await markOf(film, eve)).not.toBe(mark)
	})

	test('no mark of a visitor is computed where the organization collects none', async () => {
		await world.ask(updateSettings, { body: { analytics: { collect: 'anonymous' } } }, ada)
		expect(await markOf(film, eve)).toBeNull()
	})
})

describe('the salt of a day', () => {
	test('the salt of a day is shared by all isolates', { tags: 'd1' }, async () => {
		const mark = await markInNewIsolate()
		expect(await markInNewIsolate()).toBe(mark)
		expect(await vaultKeys()).toEqual([`${SALTS}2037-11-21`])
		await env.VAULT.delete(`${SALTS}2037-11-21`)
		expect(await markInNewIsolate()).not.toBe(mark)
	})

	test('the first stored salt of a day wins if two locations create one at the same time', async () => {
		const isStoring = Promise.withResolvers<void>()
		const mayStore = Promise.withResolvers<void>()
		const vault = env.VAULT
		world.set({
			VAULT: {
				get: vault.get.bind(vault),
				async put(...args: Parameters<R2Bucket['put']>) {
					isStoring.resolve()
					await mayStore.promise
					return vault.put(...args)
				},
			} as unknown as string,
		})
		const late = await startIsolate()
		const lateMark = markIn(late)
		await isStoring.promise
		world.set({ VAULT: vault as unknown as string })
		const mark = await markInNewIsolate()
		mayStore.resolve()
		expect(await lateMark).toBe(mark)
		expect(await markIn(late)).toBe(mark)
		expect(await markInNewIsolate()).toBe(mark)
	})

	test('the salt of a day is deleted an hour after it, so that nobody can compute its marks again', {
		tags: 'd1',
	}, async () => {
		const mark = await markInNewIsolate()
		await world.cron(EACH_TEN_MINUTES)
		expect(await vaultKeys()).toEqual([`${SALTS}2037-11-21`])
		world.pass(12 * HOUR + 50 * MINUTE)
		const nextMark = await markInNewIsolate()
		await world.cron(EACH_TEN_MINUTES)
		// Requests that began before midnight may still need the former one.
		expect(await vaultKeys()).toEqual([`${SALTS}2037-11-21`, `${SALTS}2037-11-22`])
		world.pass(10 * MINUTE)
		await world.cron(EACH_TEN_MINUTES)
		expect(await vaultKeys()).toEqual([`${SALTS}2037-11-22`])
		expect(await markInNewIsolate()).toBe(nextMark)
		world.pass(-DAY)
		expect(await markInNewIsolate()).not.toBe(mark)
	})

	test('the salt of a day is gone two days later, even if nobody watched meanwhile', {
		tags: 'd1',
	}, async () => {
		await markInNewIsolate()
		world.pass(2 * DAY)
		await world.cron(EACH_TEN_MINUTES)
		expect(await vaultKeys()).toEqual([])
	})
})

/** Returns everything that is stored: the database, the buckets without the salts, and the objects; and the log. */
async function everything(): Promise<string> {
	const stored: unknown[] = [await world.dump(), world.logs]
	for (const bucket of [env.VAULT, env.MEDIA])
		for (const { key } of (await bucket.list()).objects)
			if (!key.startsWith(SALTS)) stored.push(key, await (await bucket.get(key))?.text())
	for (const namespace of [env.PLAYBACK_SESSIONS, env.ORG_ANALYTICS])
		for (const id of await listDurableObjectIds(namespace))
			stored.push(
				await runInDurableObject(namespace.get(id), (_, { storage }) => {
					const tables = storage.sql
						.exec<{ name: string }>(
							"select name from sqlite_master where type = 'table' and name not glob '_cf_*'",
						)
						.toArray()
					return [
						...storage.kv.list(),
						...tables.map(({ name }) => storage.sql.exec(`select * from ${name}`).toArray()),
					]
				}),
			)
	return JSON.stringify(stored)
}

test('addresses and user agents are never stored, and marks only with open sessions', {
	tags: 'd1',
}, async () => {
	await markInNewIsolate()
	const mark = (await markOf(film, eve)) ?? ''
	const open = await everything()
	for (const text of [eve.ip, eve.agent, 'Chrome/140']) expect(open).not.toContain(text)
	expect(open).toContain(mark)
	expect(JSON.stringify(await world.dump())).not.toContain(mark)
	world.pass(HOUR)
	await runInDurableObject(objectOf(film), (object) => object.tick(world.now))
	const closed = await everything()
	for (const text of [mark, eve.ip, eve.agent, 'Chrome/140']) expect(closed).not.toContain(text)
	// The session itself was kept, as a time line.
	expect(closed).toContain(`session-${sessions}`)
})
