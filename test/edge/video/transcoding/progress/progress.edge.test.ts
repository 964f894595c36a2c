/** @module-tag d1 */
import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey, deleteApiKey } from '#schema/contract/accounts/api-keys.ts'
import { logout } from '#schema/contract/accounts/sessions.ts'
import { AssetProgress, streamAssetProgress } from '#schema/contract/video/transcoding.ts'
import { SECOND } from '../../../../../edge/platform/clock.ts'
import {
	computeProgressPercent,
	estimateSecondsLeft,
	findRunningStep,
} from '../../../../../edge/video/transcoding/progress/progress.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { openMachine } from '../fake-machine.ts'
import { aFilm } from '../sources.ts'
import { openStudio } from '../transcoding-fixture.ts'

describe('the progress of a job', () => {
	const work = { total: 100, done: 0, fetched: null, inspected: 0, open: [] as never[] }
	const running = { status: 'processing' as const, plannedAt: 1_000 }

	test.each([
		['during inspection', { ...running, plannedAt: null }, { ...work, inspected: 0.5 }, 2],
		['during the fetch', { ...running, plannedAt: null }, { ...work, fetched: 0.5 }, 2],
		['after the fetch', { ...running, plannedAt: null }, { ...work, fetched: 1 }, 4],
		['after planning', running, work, 5],
		['with half of the work', running, { ...work, done: 50 }, 51],
		['before the playlists', running, { ...work, done: 100 }, 98],
		['when completed', { ...running, status: 'completed' as const }, work, 100],
	])('the progress of a job has the percentage %s', (_, job, done, percent) => {
		expect(computeProgressPercent(job, done)).toBe(percent)
	})

	test.each([
		[['video', 'stills'], 'encoding'],
		[['remux', 'stills'], 'packaging'],
		[['stills'], 'stills'],
		[[], 'finishing'],
	] as const)('the progress of a job names the step for the open tasks %j', (open, step) => {
		expect(findRunningStep(running, { ...work, open })).toBe(step)
	})

	test.each([
		[['fetch'], 'fetching'],
		[['inspect'], 'inspecting'],
		[[], 'inspecting'],
	] as const)('the progress of a job names the step before planning for the open tasks %j', (open, step) => {
		expect(findRunningStep({ ...running, plannedAt: null }, { ...work, open })).toBe(step)
	})

	test('the progress of a job estimates the remaining time from the pace so far', () => {
		expect(estimateSecondsLeft(running, { ...work, done: 1 }, 11_000)).toBeNull()
		expect(estimateSecondsLeft(running, { ...work, done: 25 }, 11_000)).toBe(30)
		expect(estimateSecondsLeft({ ...running, status: 'failed' }, { ...work, done: 25 }, 11_000)).toBeNull()
	})
})

describe('an asset during processing', () => {
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

	test('an asset during processing shows progress and the estimated time left', async () => {
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

	test('progress events are streamed until the asset is ready', async () => {
		const { assetId } = await studio.upload()
		await studio.start(assetId)
		const machine = await openMachine(world, { info: aFilm(10) })
		const [answer] = await Promise.all([stream(assetId), machine.drain()])
		expect(answer.headers.get('content-type')).toContain('text/event-stream')
		expect(answer.headers.get('cache-control')).toBe('no-store')
		const events = eventsOf(await answer.text())
		expect(events.at(-1)).toMatchObject({ status: 'ready', progress: 100, jobStatus: 'completed' })
		const progress = events.map((each) => each.progress)
		expect(progress).toEqual(progress.toSorted((a, b) => a - b))
		// 204 tells an event source to stop reconnecting after the last event.
		expect((await stream(assetId, events.at(-1)?.id)).status).toBe(204)
		expect(eventsOf(await (await stream(assetId, 'another')).text())).toHaveLength(1)
	})

	test('progress events stop for a revoked session or API key', async () => {
		const { assetId } = await studio.upload()
		await studio.start(assetId)
		const token = await world.logIn(ada)
		const params = { orgId: ada.orgId }
		const created = (await world.ask(createApiKey, { params, body: { name: 'k', scopes: ['read'] } }, ada)).ok
		const listeners = [
			await stream(assetId, undefined, { ...ada, token }),
			await stream(assetId, undefined, { ...ada, token: created.data.key }),
		]
		await world.ask(logout, {}, { token })
		await world.ask(deleteApiKey, { params: { ...params, keyId: created.data.id } }, ada)
		await (await openMachine(world, { info: aFilm(10) })).drain()
		for (const listener of listeners) {
			const events = eventsOf(await listener.text())
			expect(events.map(({ status }) => status)).toEqual(['queued'])
		}
	})

	test('progress events are streamed only to the organization of the asset', async () => {
		const { assetId } = await studio.upload()
		const bob = await world.person()
		expect((await stream(assetId, undefined, bob)).status).toBe(404)
	})
})
