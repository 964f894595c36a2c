/** @module-tag d1 */
import { beforeEach, expect, test } from 'vitest'
import { startMachine } from '#schema/contract/operations/diagnostics.ts'
import { leaveMachine } from '#schema/contract/video/fleet.ts'
import { MINUTE } from '../../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
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
			fetchPublic: async (url, init) => {
				calls.push({ url, init })
				return answer()
			},
		},
	)
	admin = await world.person()
})

const start = (machineId: string) => world.ask(startMachine, { params: { machineId } }, admin)

async function registerOffline(startHook?: string) {
	const registered = await machine(world, startHook ? { startHook } : {})
	await world.ask(leaveMachine, {}, registered)
	return registered.id
}

test('an offline machine is started by its hook, in a request signed with the fleet token', async () => {
	const id = await registerOffline(hook)
	expect((await start(id)).ok.data).toEqual({ id, woken: true, by: 'hook', resumed: false })
	const [{ url, init } = { url: '', init: {} as RequestInit }] = calls
	expect([url, init.method, init.redirect]).toEqual([hook, 'POST', 'manual'])
	const headers = new Headers(init.headers)
	const signed = `${headers.get('webhook-id')}.${headers.get('webhook-timestamp')}.${init.body}`
	const encoder = new TextEncoder()
	const algorithm = { name: 'HMAC', hash: 'SHA-256' }
	const key = await crypto.subtle.importKey('raw', encoder.encode(fleetToken), algorithm, false, ['verify'])
	const signature = Uint8Array.from(atob(headers.get('webhook-signature')?.slice(3) ?? ''), (c) =>
		c.charCodeAt(0),
	)
	expect(await crypto.subtle.verify('HMAC', key, signature, encoder.encode(signed))).toBe(true)
	expect(JSON.parse(String(init.body))).toMatchObject({ type: 'machine.start', data: { id } })
})

test('starting a machine returns 409 if its hook fails, redirects or does not respond', async () => {
	const id = await registerOffline(hook)
	for (const failure of [
		async () => new Response('no', { status: 500 }),
		async () => new Response(null, { status: 302, headers: { location: 'https://10.0.0.1/' } }),
		() => Promise.reject(new Error('refused')),
	]) {
		answer = failure
		expect(await start(id)).toMatchObject({ status: 409, error: expect.stringContaining('by hand') })
	}
	expect(calls).toHaveLength(3)
})

test('starting a machine returns 409 without a hook, and no hook is called for an online machine', async () => {
	expect(await start(await registerOffline())).toMatchObject({
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
])('the start hook %s is rejected', async (startHook) => {
	expect(await register(world, { startHook })).toMatchObject({
		status: 400,
		error: expect.stringContaining('startHook'),
	})
})
