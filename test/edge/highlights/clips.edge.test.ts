import { beforeEach, expect, test } from 'vitest'
import { DAY, MINUTE } from '../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../support/edge/world.ts'
import { openHighlightStudio } from './highlight-studio.ts'

let world: World
let ada: Person
let studio: ReturnType<typeof openHighlightStudio>
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	studio = openHighlightStudio(world, ada)
})

test('fail alone when the machine gives up, and the transcript stays', async () => {
	const machine = await studio.openHearing()
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	await machine.fail(await studio.untilClip(machine), 'permanent', 'no')
	await world.deliver()
	const { aiJob, highlights, job } = await studio.asset(assetId)
	expect(aiJob).toMatchObject({ highlightsStatus: 'failed', transcriptionStatus: 'completed' })
	expect([highlights[0]?.status, job?.status]).toEqual(['failed', 'completed'])
})

test('end the wait for a machine that does not come back', async () => {
	const machine = await studio.openHearing()
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	await studio.untilClip(machine)
	world.pass(2 * DAY + 10 * MINUTE)
	await world.cron('* * * * *')
	const later = { ...ada, token: await world.logIn(ada) }
	const { aiJob, highlights } = await studio.asset(assetId, later)
	expect(aiJob?.reasons.highlights).toContain('24 hours')
	expect(highlights.map(({ status }) => status)).toEqual(['failed'])
})

test('are made once when every message comes twice', async () => {
	const machine = await studio.openHearing()
	const { assetId, playbackId } = await studio.upload()
	await studio.start(assetId)
	for (let round = 0; round < 5; round++) {
		await machine.drain()
		const batch = world.messages.splice(0)
		await world.deliver([...batch])
		await world.deliver([...batch])
	}
	expect(await studio.shown(playbackId)).toHaveLength(1)
	expect((await studio.clipKeys()).filter((key) => key.endsWith('clip.mp4'))).toHaveLength(1)
	expect((await studio.asset(assetId)).aiJob?.highlightsStatus).toBe('completed')
})

test('keep no file of a lease that another machine took over', async () => {
	const machine = await studio.openHearing()
	const { assetId, playbackId } = await studio.upload()
	await studio.start(assetId)
	const lost = await studio.untilClip(machine)
	const made = await machine.work(lost)
	await machine.put(lost, made.objects)
	world.pass(10 * MINUTE)
	await world.cron('* * * * *')
	await studio.work(machine)
	expect((await machine.complete(lost, made.result)).status).toBe(409)
	await studio.passAndSweep(10 * MINUTE)
	expect(await studio.shown(playbackId)).toHaveLength(1)
	expect(new Set((await studio.clipKeys()).map((key) => key.split('/').at(-2))).size).toBe(1)
})
