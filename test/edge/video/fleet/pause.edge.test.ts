/** @module-tag d1 */
import { beforeEach, expect, test } from 'vitest'
import { listMachines, pauseMachine, startMachine } from '#schema/contract/operations/diagnostics.ts'
import { heartbeatMachine, leaveMachine } from '#schema/contract/video/fleet.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { openMachine } from '../transcoding/fake-machine.ts'
import { aFilm } from '../transcoding/sources.ts'
import { openStudio } from '../transcoding/transcoding-fixture.ts'
import { machine, register } from './fleet.ts'

let world: World
let admin: Person
beforeEach(async () => {
	world = await openWorld({}, { fetchPublic: async () => new Response('ok') })
	admin = await world.person()
})

const on = (machineId: string, who: Parameters<World['ask']>[2] = admin) => ({
	pause: () => world.ask(pauseMachine, { params: { machineId } }, who),
	start: () => world.ask(startMachine, { params: { machineId } }, who),
})
const isPaused = async (id: string) =>
	(await world.ask(listMachines, { query: {} }, admin)).ok.data.find((each) => each.id === id)?.paused

test('a paused machine keeps its tasks and gets no new ones until it is started', async () => {
	const studio = openStudio(world, admin)
	const [one, other] = [await studio.upload(), await studio.upload()]
	await studio.start(one.assetId)
	await studio.start(other.assetId)
	const fake = await openMachine(world, { info: aFilm(10) })
	const task = await fake.claim()
	if (!task) throw new Error('nothing to do')
	expect((await on(fake.id).pause()).ok.data).toEqual({ id: fake.id, paused: true })
	expect((await on(fake.id).pause()).status).toBe(200)
	expect(await isPaused(fake.id)).toBe(true)
	expect(await fake.claim()).toBeNull()
	expect((await fake.heartbeat(task)).status).toBe(200)
	expect((await fake.perform(task)).status).toBe(200)
	expect(await fake.claim()).toBeNull()

	expect((await on(fake.id).start()).ok.data).toEqual({
		id: fake.id,
		woken: true,
		by: 'poll',
		resumed: true,
	})
	expect(await isPaused(fake.id)).toBe(false)
	await fake.drain()
	expect((await studio.asset(other.assetId)).status).toBe('ready')
})

test('a paused machine stays paused after a restart, and starting it calls its hook', async () => {
	const fingerprint = crypto.randomUUID()
	const registration = { fingerprint, startHook: 'https://machines.example.org/start' }
	const registered = await machine(world, registration)
	await on(registered.id).pause()
	await world.ask(leaveMachine, {}, (await register(world, registration)).ok.data)
	expect(await isPaused(registered.id)).toBe(true)
	expect((await on(registered.id).start()).ok.data).toMatchObject({ by: 'hook', resumed: true })
	expect(await isPaused(registered.id)).toBe(false)
})

test('a draining machine cannot be started', async () => {
	const registered = await machine(world)
	const body = { state: 'draining' as const, running: 1, load: 0 }
	await world.ask(heartbeatMachine, { body }, registered)
	expect(await on(registered.id).start()).toMatchObject({
		status: 409,
		error: expect.stringContaining('draining'),
	})
})

test('superadmins alone can pause a machine', async () => {
	const { id } = await machine(world)
	const { token } = await world.person()
	expect((await on(id, { token }).pause()).status).toBe(403)
	expect((await on(id, {}).pause()).status).toBe(401)
	expect((await on('mch_00000000000000000000000000').pause()).status).toBe(404)
	expect(await isPaused(id)).toBe(false)
})
