import { beforeEach, describe, expect, test } from 'vitest'
import { logout } from '#schema/contract/platform/identity.ts'
import { createApiKey, deleteApiKey } from '#schema/contract/platform/orgs.ts'
import { AssetProgress, streamAssetProgress } from '#schema/contract/video/transcoding.ts'
import { SECOND } from '../../../../edge/platform/clock.ts'
import { percentOf, secondsLeftOf, stepOf } from '../../../../edge/transcoding/progress/progress.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { openMachine } from '../fake-machine.ts'
import { aFilm } from '../sources.ts'
import { openStudio } from '../transcoding-fixture.ts'

describe('what is told of a job', () => {
	const work = { total: 100, done: 0, fetched: null, inspected: 0, open: [] as never[] }
	const running = { status: 'processing' as const, plannedAt: 1_000 }

	test.each([
		['looking into the source', { ...running, plannedAt: null }, { ...work, inspected: 0.5 }, 2],
		['bringing it here', { ...running, plannedAt: null }, { ...work, fetched: 0.5 }, 2],
		['looking into what was brought', { ...running, plannedAt: null }, { ...work, fetched: 1 }, 4],
		['a plan', running, work, 5],
		['half of it', running, { ...work, done: 50 }, 51],
		['all but the playlists', running, { ...work, done: 100 }, 98],
		['the end', { ...running, status: 'completed' as const }, work, 100],
	])('grows: %s', (_, job, done, percent) => {
		expect(percentOf(job, done)).toBe(percent)
	})

	test.each([
		[['video', 'stills'], 'encoding'],
		[['remux', 'stills'], 'packaging'],
		[['stills'], 'stills'],
		[[], 'finishing'],
	] as const)('names the step: %j', (open, step) => {
		expect(stepOf(running, { ...work, open })).toBe(step)
	})

	test.each([
		[['fetch'], 'fetching'],
		[['inspect'], 'inspecting'],
		[[], 'inspecting'],
	] as const)('names the step before there is a plan: %j', (open, step) => {
		expect(stepOf({ ...running, plannedAt: null }, { ...work, open })).toBe(step)
	})

	test('estimates at the pace of so far, once there is one', () => {
		expect(secondsLeftOf(running, { ...work, done: 1 }, 11_000)).toBeNull()
		expect(secondsLeftOf(running, { ...work, done: 25 }, 11_000)).toBe(30)
		expect(secondsLeftOf({ ...running, status: 'failed' }, { ...work, done: 25 }, 11_000)).toBeNull()
	})
})

describe('an asset that is processed', () => {
	let world: World
	let ada: Person
	let studio: ReturnType<typeof openStudio>
	beforeEach(async () => {
		world = await openWorld()
		ada = await world.person()
		studio = openStudio(world, ada)
	})

	const stream = (assetId: string, lastEventId?: string, who: Person = ada) =>
		world.fetch(
			new Request(`https://edge.test${streamAssetProgress.path.replace('{assetId}', assetId)}`, {
				headers: {
					authorization: `Bearer ${who.token}`,
					...(lastEventId && { 'last-event-id': lastEventId }),
				},
			}),
		)
	const eventsOf = (text: string) =>
		[...text.matchAll(/id: (.+)\nevent: progress\ndata: (.+)\n/g)].map(([, id, json]) => ({
			id: id ?? '',
			...AssetProgress.parse(JSON.parse(json ?? '')),
		}))

	test('shows how far it is, and how long it may take', async () => {
		const { assetId } = await studio.upload()
		await studio.start(assetId)
		const machine = await openMachine(world, { info: aFilm(120) })
		const inspect = await machine.claim()
		if (inspect) await machine.perform(inspect)
		const chunk = await machine.claim({ kinds: ['video'] })
		if (!chunk) throw new Error('nothing to do')
		world.pass(30 * SECOND)
		await machine.heartbeat(chunk, 0.5)
		const { job, currentStep } = await studio.asset(assetId)
		expect(currentStep).toBe('encoding')
		expect(job?.progress).toBeGreaterThan(5)
		expect(job?.estimatedSecondsLeft).toBeGreaterThan(30)
		expect(world.statements.length).toBe(3)
	})

	test('is told of as it goes, until it is ready', async () => {
		const { assetId } = await studio.upload()
		await studio.start(assetId)
		const machine = await openMachine(world, { info: aFilm(10) })
		const [answer] = await Promise.all([stream(assetId), machine.drain()])
		expect(answer.headers.get('content-type')).toContain('text/event-stream')
		expect(answer.headers.get('cache-control')).toBe('no-store')
		const told = eventsOf(await answer.text())
		expect(told.at(-1)).toMatchObject({ status: 'ready', progress: 100, jobStatus: 'completed' })
		const progress = told.map((each) => each.progress)
		expect(progress).toEqual(progress.toSorted((a, b) => a - b))
		// Reconnecting behind the end: there is nothing to come back for.
		expect((await stream(assetId, told.at(-1)?.id)).status).toBe(204)
		expect(eventsOf(await (await stream(assetId, 'another')).text())).toHaveLength(1)
	})

	test('is not told any further to a session or a key that has ended', async () => {
		const { assetId } = await studio.upload()
		await studio.start(assetId)
		const token = await world.logIn(ada)
		const params = { orgId: ada.orgId }
		const made = (await world.ask(createApiKey, { params, body: { name: 'k', scopes: ['read'] } }, ada)).ok
		const listeners = [
			await stream(assetId, undefined, { ...ada, token }),
			await stream(assetId, undefined, { ...ada, token: made.data.key }),
		]
		await world.ask(logout, {}, { token })
		await world.ask(deleteApiKey, { params: { ...params, keyId: made.data.id } }, ada)
		await (await openMachine(world, { info: aFilm(10) })).drain()
		for (const listener of listeners) {
			const told = eventsOf(await listener.text())
			expect(told.map(({ status }) => status)).toEqual(['queued'])
		}
	})

	test('is told to its organization only', async () => {
		const { assetId } = await studio.upload()
		const bob = await world.person()
		expect((await stream(assetId, undefined, bob)).status).toBe(404)
	})
})
