import { beforeEach, describe, expect, test } from 'vitest'
import { listMachines, startMachine } from '#schema/contract/operations/diagnostics.ts'
import { heartbeatMachine, leaveMachine } from '#schema/contract/video/fleet.ts'
import { DAY, HOUR, SECOND } from '../../../../edge/platform/clock.ts'
import { pruneMachines } from '../../../../edge/video/fleet/machines.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { testVariables } from '../../../support/shared/variables.ts'
import { capabilities, fleetToken, machine, register } from './fleet.ts'

const fingerprint = '0b1e4c3a-6f6e-4c43-9a55-0d5a3f1f8a01'

let world: World
beforeEach(async () => {
	world = await openWorld()
})

const beat = (token: string, state: 'online' | 'draining' = 'online') =>
	world.ask(heartbeatMachine, { body: { state, running: 1, load: 0.25 } }, { token })

/** The first person of an installation is its superadmin. */
async function listed() {
	const { token } = await world.person()
	return (await world.ask(listMachines, {}, { token })).ok.data
}

describe('registration', () => {
	test('the registration of a machine returns an id and a machine token for the fleet token', async () => {
		const { status, ok } = await register(world)
		expect(status).toBe(201)
		expect(ok.data).toMatchObject({
			heartbeatSeconds: 30,
			expiresAt: new Date(world.now + DAY).toISOString(),
		})
		expect((await beat(ok.data.token)).status).toBe(200)
	})

	test('the registration of a known machine keeps its id and revokes its older token', async () => {
		const first = await machine(world, { fingerprint, name: 'old' })
		const second = await machine(world, { fingerprint, name: 'new' })
		expect(second.id).toBe(first.id)
		expect((await beat(first.token)).status).toBe(401)
		expect((await beat(second.token)).status).toBe(200)
		expect(await listed()).toMatchObject([{ id: first.id, name: 'new' }])
	})

	test('two concurrent registrations create one machine with one valid token', async () => {
		const both = await Promise.all([machine(world, { fingerprint }), machine(world, { fingerprint })])
		expect(new Set(both.map(({ id }) => id)).size).toBe(1)
		const statuses = await Promise.all(both.map(async ({ token }) => (await beat(token)).status))
		expect(statuses.sort()).toEqual([200, 401])
	})

	test('the registration of a machine takes two statements, one of them for the audit log', async () => {
		expect((await register(world)).statements).toHaveLength(2)
	})

	test('the registration of a machine rejects a wrong token and tokens of other kinds', async () => {
		const { token: session } = await world.person()
		const { token: own } = await machine(world)
		for (const token of ['a token that is wrong in every letter', session, own, `${fleetToken}x`])
			expect(await register(world, { token })).toMatchObject({ status: 401, code: 'unauthorized' })
	})

	test('the registration of a machine returns 501 without FLEET_TOKEN or AUTH_SECRET', async () => {
		world.set({ FLEET_TOKEN: '' })
		expect((await register(world)).status).toBe(501)
		world.set({ FLEET_TOKEN: fleetToken, AUTH_SECRET: '' })
		expect((await register(world)).status).toBe(501)
		world.set({ AUTH_SECRET: testVariables.AUTH_SECRET })
		expect(await listed()).toEqual([])
	})

	test.each([
		['fingerprint', { fingerprint: 'me' }],
		['name', { name: ' ' }],
	])('the registration of a machine rejects an invalid %s and names it', async (field, invalid) => {
		const { status, error } = await register(world, invalid)
		expect(status).toBe(400)
		expect(error).toContain(field)
	})
})

describe('heartbeats', () => {
	test('heartbeats keep a machine online and return the time', async () => {
		const { token } = await machine(world)
		world.pass(60 * SECOND)
		expect((await beat(token)).ok.data).toEqual({ ok: true, now: new Date(world.now).toISOString() })
		world.pass(60 * SECOND)
		expect(await listed()).toMatchObject([{ state: 'online', running: 1, load: 0.25 }])
	})

	test('heartbeats of a machine take two statements each', async () => {
		const { token } = await machine(world)
		expect((await beat(token)).statements).toHaveLength(2)
	})

	test('a machine is offline after 90 seconds without a heartbeat, until the next one', async () => {
		const { token } = await machine(world)
		world.pass(90 * SECOND - 100)
		const { token: admin } = await world.person()
		const states = async () =>
			(await world.ask(listMachines, {}, { token: admin })).ok.data.map(({ state }) => state)
		expect(await states()).toEqual(['online'])
		world.pass(200)
		expect(await states()).toEqual(['offline'])
		await beat(token, 'draining')
		expect(await states()).toEqual(['draining'])
	})

	test('heartbeats renew the machine token shortly before it expires', async () => {
		const { token } = await machine(world)
		world.pass(17 * HOUR)
		expect((await beat(token)).ok.data.token).toBeUndefined()
		world.pass(2 * HOUR)
		const renewed = (await beat(token)).ok.data.token ?? ''
		// The old token still works, in case the response is lost.
		expect((await beat(token)).status).toBe(200)
		world.pass(6 * HOUR)
		expect((await beat(token)).status).toBe(401)
		expect((await beat(renewed)).status).toBe(200)
	})

	test('heartbeats with another kind of token are rejected', async () => {
		const { token } = await world.person()
		for (const invalid of [token, fleetToken, 'x.y.z']) expect((await beat(invalid)).status).toBe(401)
	})
})

describe('a machine that leaves', () => {
	test('leaving makes a machine offline at once and ends its token', async () => {
		const { id, token } = await machine(world)
		expect((await world.ask(leaveMachine, {}, { token })).ok.data).toEqual({ id, left: true })
		expect((await beat(token)).status).toBe(401)
		expect(await listed()).toMatchObject([{ id, state: 'offline', running: 0, load: null }])
	})

	test('a machine that left can register again under its id', async () => {
		const { id, token } = await machine(world, { fingerprint })
		await world.ask(leaveMachine, {}, { token })
		expect((await machine(world, { fingerprint })).id).toBe(id)
		expect(await listed()).toMatchObject([{ id, state: 'online' }])
	})
})

describe('the list of machines', () => {
	test('the list of machines shows the capabilities of each machine, newest first, in pages', async () => {
		for (const name of ['a', 'b', 'c']) {
			await machine(world, { name })
			world.pass(SECOND)
		}
		const { token } = await world.person()
		const first = await world.ask(listMachines, { query: { limit: '2' } }, { token })
		expect(first.ok.data.map(({ name }) => name)).toEqual(['c', 'b'])
		expect(first.ok.data[0]).toMatchObject({ capabilities, connected: false, state: 'online' })
		const cursor = first.headers.get('x-next-cursor') ?? ''
		const second = await world.ask(listMachines, { query: { limit: '2', cursor } }, { token })
		expect(second.ok.data.map(({ name }) => name)).toEqual(['a'])
		expect(second.headers.get('x-next-cursor')).toBeNull()
	})

	test('the list of machines hides fingerprints, which could be used to impersonate a machine', async () => {
		await machine(world, { fingerprint })
		expect(JSON.stringify(await listed())).not.toContain(fingerprint)
	})

	test('the list of machines shows each speech engine with its real-time factor', async () => {
		const speech = { engine: 'ffmpeg-whisper', languages: ['en'], realTimeFactor: 0.42 }
		await machine(world, { speech })
		await machine(world)
		const engines = (await listed()).map((each) => each.capabilities.speech ?? null)
		expect(engines).toHaveLength(2)
		expect(engines).toContainEqual(speech)
	})

	test('superadmins alone list machines', async () => {
		await world.person()
		const { token } = await world.person()
		expect((await world.ask(listMachines, {}, { token })).status).toBe(403)
		expect((await world.ask(listMachines, {})).status).toBe(401)
	})

	test('the list of machines omits machines that were silent for 30 days after pruning', async () => {
		await machine(world, { name: 'gone' })
		world.pass(20 * DAY)
		await machine(world, { name: 'here' })
		world.pass(11 * DAY)
		expect(await world.deps(pruneMachines)).toBe(1)
		expect(await listed()).toMatchObject([{ name: 'here' }])
	})
})

describe('starting a machine', () => {
	test('starting an unknown machine returns 404, and one without a socket 409', async () => {
		const { token } = await world.person()
		const { id } = await machine(world)
		const start = (machineId: string) => world.ask(startMachine, { params: { machineId } }, { token })
		expect((await start('mch_01hv0000000000000000000000')).status).toBe(404)
		expect(await start(id)).toMatchObject({ status: 409, code: 'conflict' })
	})
})
