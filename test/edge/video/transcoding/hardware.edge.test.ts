/** @module-tag d1 */
import { beforeEach, expect, test } from 'vitest'
import { heartbeatMachine } from '#schema/contract/video/fleet.ts'
import type { TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import { MINUTE, SECOND } from '../../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { type FakeMachine, openMachine } from './fake-machine.ts'
import { aFilm } from './sources.ts'
import { openStudio } from './transcoding-fixture.ts'

let world: World
let ada: Person
let studio: ReturnType<typeof openStudio>
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	studio = openStudio(world, ada)
})

const gpu = ['libx264', 'h264_nvenc']
const info = aFilm(120)

async function startInspected(machine: FakeMachine): Promise<string> {
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	const task = await machine.claim()
	if (!task) throw new Error('nothing to do')
	await machine.perform(task)
	return assetId
}
const encodersOf = (spec: unknown) => [
	...new Set((spec as TaskSpecByKind<'video'>).rungs.map(({ encoder }) => encoder)),
]
const results = () =>
	world.deps(async (d) => {
		const rows = await d.db.all<{ result: string }>(
			"select result from tasks where kind = 'video' order by position",
		)
		return rows.map(({ result }) => JSON.parse(result).rungs.map((rung: { encoder: string }) => rung.encoder))
	})

test('a proved hardware encoder is used for the whole job, by machines that have it', async () => {
	const fast = await openMachine(world, { info, hwAccelUsed: true }, 'gpu', gpu)
	const slow = await openMachine(world, { info }, 'cpu')
	const assetId = await startInspected(slow)
	expect(await slow.claim({ kinds: ['video'] })).toBeNull()
	const chunk = await fast.claim({ kinds: ['video'] })
	expect(encodersOf(chunk?.spec)).toEqual(['h264_nvenc'])
	if (chunk) await fast.release(chunk)
	await fast.drain()
	expect(await studio.asset(assetId)).toMatchObject({ status: 'ready', job: { hwAccelUsed: true } })
})

test('software encoders are used when no machine has hardware', async () => {
	const slow = await openMachine(world, { info }, 'cpu')
	await startInspected(slow)
	expect(encodersOf((await slow.claim({ kinds: ['video'] }))?.spec)).toEqual(['libx264'])
})

test('a rung that falls back to software uses software in all chunks, and no other rung does', async () => {
	const fast = await openMachine(world, { info }, 'gpu', gpu)
	const assetId = await startInspected(fast)
	const first = await fast.claim({ kinds: ['video'] })
	const meanwhile = await fast.claim({ kinds: ['video'] })
	if (!first || !meanwhile) throw new Error('nothing to do')
	await fast.perform(first)
	fast.behavior.encoder = ({ id, encoder }) => (id === 'h264-720p' ? 'libx264' : encoder)
	await fast.perform(meanwhile)
	delete fast.behavior.encoder
	await fast.drain()
	expect(await studio.asset(assetId)).toMatchObject({ status: 'ready' })
	for (const encoders of await results())
		expect(encoders).toEqual(['libx264', ...encoders.slice(1).map(() => 'h264_nvenc')])
})

test('a job waits at most two minutes for hardware that disappeared', async () => {
	const fast = await openMachine(world, { info }, 'gpu', gpu)
	const slow = await openMachine(world, { info }, 'cpu')
	const assetId = await startInspected(slow)
	const done = await fast.claim({ kinds: ['video'] })
	if (done) await fast.perform(done)
	world.pass(100 * SECOND)
	await world.cron('* * * * *')
	expect(await slow.claim({ kinds: ['video'] })).toBeNull()
	world.pass(MINUTE)
	const beat = { state: 'online' as const, running: 0, load: 0 }
	await world.ask(heartbeatMachine, { body: beat }, slow)
	await world.cron('* * * * *')
	await slow.drain()
	expect(await studio.asset(assetId)).toMatchObject({ status: 'ready' })
	expect((await results()).flat().every((encoder) => encoder === 'libx264')).toBe(true)
})

test('chunks with different init segments are encoded again, until the job fails with a message', async () => {
	const machine = await openMachine(world, { info }, 'cpu')
	const assetId = await startInspected(machine)
	const odd = await machine.claim({ kinds: ['video'] })
	if (!odd) throw new Error('nothing to do')
	const init = (rung: string) => `of another version: ${rung}`
	machine.behavior.init = init
	await machine.perform(odd)
	delete machine.behavior.init
	await machine.drain()
	expect(await studio.asset(assetId)).toMatchObject({ status: 'ready' })

	const other = await startInspected(machine)
	let tries = 0
	for (let task = await machine.claim(); task; task = await machine.claim()) {
		const isFirst = task.spec.kind === 'video' && task.spec.firstFrame === 0
		if (isFirst) tries++
		if (isFirst) machine.behavior.init = init
		else delete machine.behavior.init
		await machine.perform(task)
	}
	expect(tries).toBe(3)
	expect(await studio.asset(other)).toMatchObject({
		status: 'error',
		errorMessage: expect.stringContaining('do not match'),
	})
})
