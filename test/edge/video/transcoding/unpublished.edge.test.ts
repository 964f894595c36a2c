/** @module-tag d1 */
import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import { MINUTE } from '../../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { openMachine } from './fake-machine.ts'
import { aFilm } from './sources.ts'
import { openStudio } from './transcoding-fixture.ts'

const DEAD_LETTER_QUEUE = 'playhouse-background-dead'

let world: World
let studio: ReturnType<typeof openStudio>
let assetId: string
let restoreMedia: () => void
/** Performs all tasks of a job whose playlists cannot be stored, so that publishing fails. */
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
	const put = () => Promise.reject(new Error('storage is unavailable'))
	const media = new Proxy(env.MEDIA, {
		get: (bucket, name: keyof R2Bucket) => {
			const value = bucket[name]
			if (name === 'put') return put
			return typeof value === 'function' ? value.bind(bucket) : value
		},
	})
	const set = world.set as (bindings: Record<string, unknown>) => void
	set({ MEDIA: media })
	restoreMedia = () => set({ MEDIA: env.MEDIA })
}

const advances = () => world.messages.splice(0).filter(({ type }) => type === 'job.advance')

const events = () =>
	world.deps((d) => d.db.all("select type from outbox where type in ('asset.ready', 'asset.error')"))

test('a job that cannot be published is retried for an hour, then fails with a message', async () => {
	for (const minutes of [20, 39]) {
		const messages = advances()
		expect(messages).toEqual([{ type: 'job.advance', jobId: expect.any(String) }])
		expect((await world.deliver(structuredClone(messages))).retryMessages).toHaveLength(1)
		// The queue moves a message to the dead-letter queue after 21 minutes.
		world.pass(minutes * MINUTE)
		await world.deliver(messages, DEAD_LETTER_QUEUE)
		expect((await studio.asset(assetId)).status).toBe('processing')
		await world.cron('* * * * *')
	}
	world.pass(MINUTE)
	const last = advances()
	await world.deliver([...structuredClone(last), ...last], DEAD_LETTER_QUEUE)
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

test('a late dead letter does not end a job that has finished', async () => {
	const late = advances()
	world.pass(MINUTE)
	restoreMedia()
	await world.cron('* * * * *')
	await world.deliver()
	expect((await studio.asset(assetId)).status).toBe('ready')
	world.pass(100 * MINUTE)
	await world.deliver(late, DEAD_LETTER_QUEUE)
	expect((await studio.asset(assetId)).status).toBe('ready')
	expect(await events()).toEqual([{ type: 'asset.ready' }])
})
