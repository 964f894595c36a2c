import { beforeEach, describe, expect, test } from 'vitest'
import {
	evictMachine,
	getDiagnostics,
	listMachines,
	readmitMachine,
	signOffOutdatedMachines,
	startMachine,
} from '#schema/contract/operations/diagnostics.ts'
import { heartbeatMachine } from '#schema/contract/video/fleet.ts'
import { completeTask, type LeasedTask, releaseTask } from '#schema/contract/video/leases.ts'
import { DAY } from '../../../../edge/platform/clock.ts'
import { pruneMachines } from '../../../../edge/video/fleet/machines.ts'
import { claimTask } from '../../../../edge/video/transcoding/machine-api/claim.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { type FakeMachine, openMachine } from '../transcoding/fake-machine.ts'
import { aFilm } from '../transcoding/sources.ts'
import { openStudio } from '../transcoding/transcoding-fixture.ts'
import { fleetToken, machine, register } from './fleet.ts'

let world: World
let admin: Person
beforeEach(async () => {
	world = await openWorld()
	admin = await world.person()
})

const on = (machineId: string, who: Parameters<World['ask']>[2] = admin) => ({
	evict: () => world.ask(evictMachine, { params: { machineId } }, who),
	readmit: () => world.ask(readmitMachine, { params: { machineId } }, who),
	start: () => world.ask(startMachine, { params: { machineId } }, who),
})
const beat = (token: string) =>
	world.ask(heartbeatMachine, { body: { state: 'online', running: 0, load: 0 } }, { token })
const signOff = (who: Parameters<World['ask']>[2] = admin) => world.ask(signOffOutdatedMachines, {}, who)
const listed = async (id: string) =>
	(await world.ask(listMachines, { query: {} }, admin)).ok.data.find((each) => each.id === id)
const fingerprintOf = async (id: string) => {
	const [row] = await world.deps(({ db }) =>
		db.all<{ fingerprint: string }>(`select fingerprint from machines where id = '${id}'`),
	)
	return row?.fingerprint ?? ''
}

/** Opens a machine that has claimed a task. */
async function openBusyMachine(): Promise<{ fake: FakeMachine; task: LeasedTask }> {
	const studio = openStudio(world, admin)
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	const fake = await openMachine(world, { info: aFilm(10) }, 'hostile')
	const task = await fake.claim()
	if (!task) throw new Error('nothing to do')
	return { fake, task }
}
const rowOf = async (taskId: string) => {
	const [row] = await world.deps(({ db }) =>
		db.all<{ state: string; attempts: number; epoch: number; machine_id: string | null }>(
			`select state, attempts, epoch, machine_id from tasks where id = '${taskId}'`,
		),
	)
	return row
}

describe('an evicted machine', () => {
	test('an evicted machine loses its task to another machine at once, without charging an attempt', async () => {
		const { fake, task } = await openBusyMachine()
		expect((await on(fake.id).evict()).ok.data).toEqual({ id: fake.id, evicted: true, tasksReturned: 1 })
		expect(await rowOf(task.id)).toEqual({
			...{ state: 'queued', attempts: 0, epoch: task.epoch + 1, machine_id: null },
		})
		const other = await openMachine(world, fake.behavior, 'other')
		expect(await other.claim()).toMatchObject({ id: task.id, epoch: task.epoch + 2 })
	})

	test('an evicted machine gets 401 for every call', async () => {
		const { fake, task } = await openBusyMachine()
		const { result, objects } = await fake.work(task)
		await on(fake.id).evict()
		for (const answer of [
			await beat(fake.token),
			await fake.heartbeat(task),
			await fake.outputs(task, objects.map(([name]) => name).concat('init.mp4')),
			await fake.complete(task, result),
			await fake.fail(task, 'permanent'),
			await fake.release(task),
		])
			expect(answer).toMatchObject({ status: 401, code: 'unauthorized' })
		await expect(fake.claim()).rejects.toThrow()
		expect(await rowOf(task.id)).toMatchObject({ state: 'queued', epoch: task.epoch + 1 })
	})

	test('an evicted machine gets no task from a claim that was authenticated before', async () => {
		const { fake, task } = await openBusyMachine()
		await on(fake.id).evict()
		const claimed = await world.deps((deps) =>
			claimTask(deps, { machineId: fake.id, tokenVersion: 1 }, { sources: [] }),
		)
		expect(claimed).toBeNull()
		expect(await rowOf(task.id)).toMatchObject({ state: 'queued' })
	})

	test('an evicted machine cannot register again, even after a month of silence', async () => {
		const { id } = await machine(world)
		const fingerprint = await fingerprintOf(id)
		await on(id).evict()
		expect(await register(world, { fingerprint })).toMatchObject({ status: 403, code: 'forbidden' })
		expect(await listed(id)).toMatchObject({ evicted: true, state: 'offline', running: 0 })
		world.pass(40 * DAY)
		expect(await world.deps(pruneMachines)).toBe(0)
		expect(await register(world, { fingerprint })).toMatchObject({ status: 403, code: 'forbidden' })
	})

	test('an evicted machine cannot be started', async () => {
		const { id } = await machine(world)
		await on(id).evict()
		expect(await on(id).start()).toMatchObject({ status: 409, error: expect.stringContaining('readmit') })
	})

	test('a readmitted machine keeps its id, but its old lease is rejected by its epoch', async () => {
		const { fake, task } = await openBusyMachine()
		const { result } = await fake.work(task)
		await on(fake.id).evict()
		expect((await on(fake.id).readmit()).ok.data).toEqual({ id: fake.id, evicted: false })
		expect((await beat(fake.token)).status).toBe(401)
		const again = await machine(world, { fingerprint: await fingerprintOf(fake.id) })
		expect(again.id).toBe(fake.id)
		expect(await listed(fake.id)).toMatchObject({ evicted: false, state: 'online' })
		const body = { epoch: task.epoch, result }
		const params = { taskId: task.id }
		const late = await world.ask(completeTask, { params, body }, again)
		expect(late).toMatchObject({ status: 409, code: 'conflict' })
		const released = await world.ask(releaseTask, { params, body: { epoch: task.epoch } }, again)
		expect(released).toMatchObject({ status: 409, code: 'conflict' })
	})

	test('concurrent evictions of a machine return its task once', async () => {
		const { fake, task } = await openBusyMachine()
		const both = await Promise.all([on(fake.id).evict(), on(fake.id).evict()])
		expect(both.map(({ ok }) => ok.data.tasksReturned).toSorted()).toEqual([0, 1])
		expect(await rowOf(task.id)).toMatchObject({ attempts: 0, epoch: task.epoch + 1 })
	})

	test('superadmins alone can evict and readmit a machine', async () => {
		const { id, token } = await machine(world)
		const nonAdmin = { token: (await world.person()).token }
		for (const move of ['evict', 'readmit'] as const) {
			expect((await on(id, nonAdmin)[move]()).status).toBe(403)
			expect((await on(id, {})[move]()).status).toBe(401)
			expect((await on(id, { token })[move]()).status).toBe(401)
			expect((await on('mch_00000000000000000000000000')[move]()).status).toBe(404)
		}
		expect((await signOff(nonAdmin)).status).toBe(403)
		expect((await beat(token)).status).toBe(200)
	})
})

describe('a change of FLEET_TOKEN', () => {
	const newToken = 'another-token-of-enough-characters'

	test('a change of FLEET_TOKEN lists machines with the older token as outdated, which can be signed off', {
		tags: 'd1',
	}, async () => {
		const { fake, task } = await openBusyMachine()
		const stays = await machine(world, { name: 'stays' })
		expect(await listed(fake.id)).toMatchObject({ outdated: false })
		expect((await signOff()).ok.data).toEqual({ machines: 0, tasksReturned: 0 })

		world.set({ FLEET_TOKEN: newToken })
		const fingerprint = await fingerprintOf(stays.id)
		const renewed = await machine(world, { fingerprint, token: newToken })
		expect(await listed(fake.id)).toMatchObject({ outdated: true, evicted: false })
		expect(await listed(renewed.id)).toMatchObject({ outdated: false })
		const { ok } = await world.ask(getDiagnostics, {}, admin)
		expect(ok.data.machines).toMatchObject({ outdated: 1, total: 2 })
		// Changing the token alone signs off no machine.
		expect((await beat(fake.token)).status).toBe(200)

		expect((await signOff()).ok.data).toEqual({ machines: 1, tasksReturned: 1 })
		expect((await beat(fake.token)).status).toBe(401)
		expect((await beat(renewed.token)).status).toBe(200)
		expect(await rowOf(task.id)).toMatchObject({ state: 'queued', attempts: 0, epoch: task.epoch + 1 })
		expect((await signOff()).ok.data).toEqual({ machines: 0, tasksReturned: 0 })
	})

	test('a machine that was signed off can register only with the new FLEET_TOKEN', async () => {
		const { id } = await machine(world)
		const fingerprint = await fingerprintOf(id)
		world.set({ FLEET_TOKEN: newToken })
		await signOff()
		expect((await register(world, { fingerprint, token: fleetToken })).status).toBe(401)
		expect((await machine(world, { fingerprint, token: newToken })).id).toBe(id)
		expect(await listed(id)).toMatchObject({ outdated: false, evicted: false })
	})

	test('machines that registered before marks were recorded count as outdated', async () => {
		const { id, token } = await machine(world)
		await world.deps(({ db }) => db.all(`update machines set registered_with = null returning id`))
		expect(await listed(id)).toMatchObject({ outdated: true })
		expect((await signOff()).ok.data).toEqual({ machines: 1, tasksReturned: 0 })
		expect((await beat(token)).status).toBe(401)
	})
})
