import { beforeEach, describe, expect, test } from 'vitest'
import { listMachines, startMachine } from '#schema/contract/platform/diagnostics.ts'
import { heartbeatMachine, leaveMachine } from '#schema/contract/video/fleet.ts'
import { pruneMachines } from '../../../edge/fleet/machines.ts'
import { DAY, HOUR, SECOND } from '../../../edge/platform/clock.ts'
import { openWorld, type World } from '../../support/edge/world.ts'
import { testVariables } from '../../support/shared/variables.ts'
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

describe('registering', () => {
	test('a machine with the fleet token gets an id and a token of its own', async () => {
		const { status, ok } = await register(world)
		expect(status).toBe(201)
		expect(ok.data).toMatchObject({
			heartbeatSeconds: 30,
			expiresAt: new Date(world.now + DAY).toISOString(),
		})
		expect((await beat(ok.data.token)).status).toBe(200)
	})

	test('the same machine keeps its id, and its older token ends', async () => {
		const first = await machine(world, { fingerprint, name: 'old' })
		const second = await machine(world, { fingerprint, name: 'new' })
		expect(second.id).toBe(first.id)
		expect((await beat(first.token)).status).toBe(401)
		expect((await beat(second.token)).status).toBe(200)
		expect(await listed()).toMatchObject([{ id: first.id, name: 'new' }])
	})

	test('two registrations of one machine at once make one machine and leave one token', async () => {
		const both = await Promise.all([machine(world, { fingerprint }), machine(world, { fingerprint })])
		expect(new Set(both.map(({ id }) => id)).size).toBe(1)
		const statuses = await Promise.all(both.map(async ({ token }) => (await beat(token)).status))
		expect(statuses.sort()).toEqual([200, 401])
	})

	test('registers a machine in one statement', async () => {
		expect((await register(world)).statements).toHaveLength(1)
	})

	test('a wrong token, no token, and tokens of other doors are refused', async () => {
		const { token: session } = await world.person()
		const { token: own } = await machine(world)
		for (const token of ['a token that is wrong in every letter', session, own, `${fleetToken}x`])
			expect(await register(world, { token })).toMatchObject({ status: 401, code: 'unauthorized' })
	})

	test('is 501 where the installation has no fleet token or no secret to sign with', async () => {
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
	])('a wrong %s is refused by name', async (field, wrong) => {
		const { status, error } = await register(world, wrong)
		expect(status).toBe(400)
		expect(error).toContain(field)
	})
})

describe('heartbeats', () => {
	test('keep a machine online, and tell the time', async () => {
		const { token } = await machine(world)
		world.pass(60 * SECOND)
		expect((await beat(token)).ok.data).toEqual({ ok: true, now: new Date(world.now).toISOString() })
		world.pass(60 * SECOND)
		expect(await listed()).toMatchObject([{ state: 'online', running: 1, load: 0.25 }])
	})

	test('handles a heartbeat in two statements', async () => {
		const { token } = await machine(world)
		expect((await beat(token)).statements).toHaveLength(2)
	})

	test('that stay out make a machine offline after 90 seconds, and one brings it back', async () => {
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

	test('renew the token near its end, and not before', async () => {
		const { token } = await machine(world)
		world.pass(17 * HOUR)
		expect((await beat(token)).ok.data.token).toBeUndefined()
		world.pass(2 * HOUR)
		const renewed = (await beat(token)).ok.data.token ?? ''
		// Should the answer be lost on its way, the old one still works.
		expect((await beat(token)).status).toBe(200)
		world.pass(6 * HOUR)
		expect((await beat(token)).status).toBe(401)
		expect((await beat(renewed)).status).toBe(200)
	})

	test('with another kind of token are refused', async () => {
		const { token } = await world.person()
		for (const wrong of [token, fleetToken, 'x.y.z']) expect((await beat(wrong)).status).toBe(401)
	})
})

describe('leaving', () => {
	test('makes a machine offline at once and ends its token', async () => {
		const { id, token } = await machine(world)
		expect((await world.ask(leaveMachine, {}, { token })).ok.data).toEqual({ id, left: true })
		expect((await beat(token)).status).toBe(401)
		expect(await listed()).toMatchObject([{ id, state: 'offline', running: 0, load: null }])
	})

	test('is no end: it comes back under its id', async () => {
		const { id, token } = await machine(world, { fingerprint })
		await world.ask(leaveMachine, {}, { token })
		expect((await machine(world, { fingerprint })).id).toBe(id)
		expect(await listed()).toMatchObject([{ id, state: 'online' }])
	})
})

describe('the list', () => {
	test('shows what each machine is able to do, newest first, in pages', async () => {
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

	test('shows no fingerprint: with the fleet token it would be enough to take a place', async () => {
		await machine(world, { fingerprint })
		expect(JSON.stringify(await listed())).not.toContain(fingerprint)
	})

	test('lists machines for superadmins only', async () => {
		await world.person()
		const { token } = await world.person()
		expect((await world.ask(listMachines, {}, { token })).status).toBe(403)
		expect((await world.ask(listMachines, {})).status).toBe(401)
	})

	test('prunes machines that were silent for 30 days', async () => {
		await machine(world, { name: 'gone' })
		world.pass(20 * DAY)
		await machine(world, { name: 'here' })
		world.pass(11 * DAY)
		expect(await world.deps(pruneMachines)).toBe(1)
		expect(await listed()).toMatchObject([{ name: 'here' }])
	})
})

describe('starting by force', () => {
	test('is 404 for an unknown machine and 409 for one without a socket', async () => {
		const { token } = await world.person()
		const { id } = await machine(world)
		const start = (machineId: string) => world.ask(startMachine, { params: { machineId } }, { token })
		expect((await start('mch_01hv0000000000000000000000')).status).toBe(404)
		expect(await start(id)).toMatchObject({ status: 409, code: 'conflict' })
	})
})
