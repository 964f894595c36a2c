import { beforeEach, expect, test } from 'vitest'
import { startMachine } from '#schema/contract/platform/diagnostics.ts'
import { leaveMachine } from '#schema/contract/video/fleet.ts'
import { MINUTE } from '../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../support/edge/world.ts'
import { fleetToken, machine, register } from './fleet.ts'

const hook = 'https://machines.example.org/start'

let world: World
let admin: Person
let calls: { url: string; init: RequestInit }[]
let answer: () => Promise<Response>
beforeEach(async () => {
	calls = []
	answer = async () => new Response('ok')
	world = await openWorld(
		{},
		{
			fetch: async (url, init) => {
				calls.push({ url, init })
				return answer()
			},
		},
	)
	admin = await world.person()
})

const start = (machineId: string) => world.ask(startMachine, { params: { machineId } }, admin)

async function offline(startHook?: string) {
	const made = await machine(world, startHook ? { startHook } : {})
	await world.ask(leaveMachine, {}, made)
	return made.id
}

test('a machine that is off is started by its hook, signed with the token of the fleet', async () => {
	const id = await offline(hook)
	expect((await start(id)).ok.data).toEqual({ id, woken: true, by: 'hook', resumed: false })
	const [{ url, init } = { url: '', init: {} as RequestInit }] = calls
	expect([url, init.method, init.redirect]).toEqual([hook, 'POST', 'manual'])
	const headers = new Headers(init.headers)
	const signed = `${headers.get('webhook-id')}.${headers.get('webhook-timestamp')}.${init.body}`
	const encoder = new TextEncoder()
	const algorithm = { name: 'HMAC', hash: 'SHA-256' }
	const key = await crypto.subtle.importKey('raw', encoder.encode(fleetToken), algorithm, false, ['verify'])
	const given = Uint8Array.from(atob(headers.get('webhook-signature')?.slice(3) ?? ''), (c) =>
		c.charCodeAt(0),
	)
	expect(await crypto.subtle.verify('HMAC', key, given, encoder.encode(signed))).toBe(true)
	expect(JSON.parse(String(init.body))).toMatchObject({ type: 'machine.start', data: { id } })
})

test('it is 409 where the hook fails, redirects or does not answer', async () => {
	const id = await offline(hook)
	for (const wrong of [
		async () => new Response('no', { status: 500 }),
		async () => new Response(null, { status: 302, headers: { location: 'https://10.0.0.1/' } }),
		() => Promise.reject(new Error('refused')),
	]) {
		answer = wrong
		expect(await start(id)).toMatchObject({ status: 409, error: expect.stringContaining('by hand') })
	}
	expect(calls).toHaveLength(3)
})

test('a machine without a hook is 409, and one that is on is not called', async () => {
	expect(await start(await offline())).toMatchObject({
		status: 409,
		error: expect.stringContaining('no start hook'),
	})
	const { id } = await machine(world, { startHook: hook })
	expect((await start(id)).status).toBe(409)
	expect(calls).toEqual([])
	world.pass(2 * MINUTE)
	expect((await start(id)).status).toBe(200)
})

test.each([
	'http://machines.example.org/',
	'https://127.0.0.1/',
	'https://machines.internal/',
	'https://[::1]/',
])('a hook at %s is refused', async (startHook) => {
	expect(await register(world, { startHook })).toMatchObject({
		status: 400,
		error: expect.stringContaining('startHook'),
	})
})
