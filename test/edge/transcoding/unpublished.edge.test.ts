import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import { MINUTE } from '../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../support/edge/world.ts'
import { openMachine } from './fake-machine.ts'
import { aFilm } from './sources.ts'
import { openStudio } from './transcoding-fixture.ts'

const DEAD = 'playhouse-background-dead'

let world: World
let studio: ReturnType<typeof openStudio>
let assetId: string
let mend: () => void
/** All is made, and what is left to do fails: playlists cannot be stored. */
beforeEach(async () => {
	world = await openWorld()
	const ada: Person = await world.person()
	studio = openStudio(world, ada)
	;({ assetId } = await studio.upload())
	await studio.start(assetId)
	const machine = await openMachine(world, { info: aFilm(10) })
	const inspect = await machine.claim()
	if (inspect) await machine.perform(inspect)
	for (let task = await machine.claim(); task; task = await machine.claim()) {
		const { result, objects } = await machine.work(task)
		await machine.put(task, objects)
		if (task.spec.kind === 'stills') breakMedia()
		expect((await machine.complete(task, result)).status).toBe(200)
	}
	expect(await studio.asset(assetId)).toMatchObject({ status: 'processing', currentStep: 'finishing' })
})

function breakMedia() {
	const put = () => Promise.reject(new Error('the store is out'))
	const media = new Proxy(env.MEDIA, {
		get: (bucket, name: keyof R2Bucket) => {
			const found = bucket[name]
			if (name === 'put') return put
			return typeof found === 'function' ? found.bind(bucket) : found
		},
	})
	const set = world.set as (changed: Record<string, unknown>) => void
	set({ MEDIA: media })
	mend = () => set({ MEDIA: env.MEDIA })
}

const advances = () => world.messages.splice(0).filter(({ type }) => type === 'job.advance')

const events = () =>
	world.deps((d) => d.db.all("select type from outbox where type in ('asset.ready', 'asset.error')"))

test('a job that nobody can finish is tried for an hour, and then ends saying so', async () => {
	for (const minutes of [20, 39]) {
		const given = advances()
		expect(given).toEqual([{ type: 'job.advance', jobId: expect.any(String) }])
		expect((await world.deliver(structuredClone(given))).retryMessages).toHaveLength(1)
		// The queue gives a message up after 21 minutes.
		world.pass(minutes * MINUTE)
		await world.deliver(given, DEAD)
		expect((await studio.asset(assetId)).status).toBe('processing')
		await world.cron('* * * * *')
	}
	world.pass(MINUTE)
	const last = advances()
	await world.deliver([...structuredClone(last), ...last], DEAD)
	expect(await studio.asset(assetId)).toMatchObject({
		status: 'error',
		errorMessage: expect.stringContaining('Something went wrong on our side'),
		job: { status: 'failed' },
	})
	expect(await events()).toEqual([{ type: 'asset.error' }])
	await world.cron('* * * * *')
	await world.deliver()
	expect((await env.MEDIA.list()).objects).toEqual([])
})

test('a job that was finished meanwhile is not ended by a message that was given up', async () => {
	const late = advances()
	world.pass(MINUTE)
	mend()
	await world.cron('* * * * *')
	await world.deliver()
	expect((await studio.asset(assetId)).status).toBe('ready')
	world.pass(100 * MINUTE)
	await world.deliver(late, DEAD)
	expect((await studio.asset(assetId)).status).toBe('ready')
	expect(await events()).toEqual([{ type: 'asset.ready' }])
})
