/** @module-tag d1 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { evictMachine, listMachines, startMachine } from '#schema/contract/operations/diagnostics.ts'
import {
	connectMachine,
	leaveMachine,
	SOCKET_NOT_ALLOWED,
	SOCKET_REPLACED,
} from '#schema/contract/video/fleet.ts'
import { requireFleet } from '../../../../edge/video/fleet/fleet-stub.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { machine } from './fleet.ts'

let world: World
beforeEach(async () => {
	world = await openWorld()
})

/** The open sockets. Each is closed on both sides before the next test resets the fleet object. */
const sockets: { socket: WebSocket; closed: Promise<number> }[] = []
afterEach(async () => {
	for (const { socket, closed } of sockets.splice(0)) {
		socket.close(1000)
		await closed
	}
})

async function upgrade(headers: Record<string, string>) {
	const response = await world.fetch(new Request(`https://edge.test${connectMachine.path}`, { headers }))
	const socket = response.webSocket
	if (socket) {
		socket.accept()
		const closed = new Promise<number>((done) => socket.addEventListener('close', ({ code }) => done(code)))
		sockets.push({ socket, closed })
	}
	return response
}

/** Connects as a machine. Returns its socket and the received messages. */
async function connect(token: string) {
	const response = await upgrade({ authorization: `Bearer ${token}`, upgrade: 'websocket' })
	const opened = sockets.at(-1)
	if (!opened || response.status !== 101) throw new Error(`the upgrade returned ${response.status}`)
	const { socket, closed } = opened
	const messages: string[] = []
	const waiting: (() => void)[] = []
	socket.addEventListener('message', ({ data }) => {
		messages.push(String(data))
		waiting.shift()?.()
	})
	return {
		socket,
		status: response.status,
		closed,
		/** Returns the next message. */
		async next() {
			if (messages.length === 0) await new Promise<void>((done) => waiting.push(done))
			return messages.shift()
		},
	}
}

const fleet = () => world.deps(async (deps) => requireFleet(deps.env))
const connected = async () => (await fleet()).connected()

test('a machine with a socket is listed as connected', async () => {
	const { id, token } = await machine(world)
	const { status } = await connect(token)
	expect(status).toBe(101)
	const admin = await world.person()
	expect((await world.ask(listMachines, {}, admin)).ok.data).toMatchObject([{ id, connected: true }])
})

test('the fleet object answers pings on the socket of a machine', async () => {
	const { socket, next } = await connect((await machine(world)).token)
	socket.send('ping')
	expect(await next()).toBe('pong')
})

test('a wake-up reaches every machine, or only the named ones', async () => {
	const [north, south] = [await machine(world), await machine(world)]
	const [a, b] = [await connect(north.token), await connect(south.token)]
	expect(await (await fleet()).wake()).toBe(2)
	expect([await a.next(), await b.next()]).toEqual(['{"type":"wake"}', '{"type":"wake"}'])
	expect(await (await fleet()).wake({ machineIds: [south.id, 'mch_unknown'] })).toBe(1)
	expect(await b.next()).toBe('{"type":"wake"}')
})

test('a superadmin starts a machine through its socket', async () => {
	const { id, token } = await machine(world)
	const { next } = await connect(token)
	const admin = await world.person()
	const { ok } = await world.ask(startMachine, { params: { machineId: id } }, admin)
	expect(ok.data).toEqual({ id, woken: true, by: 'socket', resumed: false })
	expect(await next()).toBe('{"type":"wake"}')
})

test('a second socket of a machine replaces the first', async () => {
	const { id, token } = await machine(world)
	const first = await connect(token)
	const second = await connect(token)
	expect(await first.closed).toBe(SOCKET_REPLACED)
	expect(await connected()).toEqual([id])
	expect(await (await fleet()).wake()).toBe(1)
	expect(await second.next()).toBe('{"type":"wake"}')
})

test('the socket of a machine that signs off is closed', async () => {
	const { token } = await machine(world)
	const { closed } = await connect(token)
	await world.ask(leaveMachine, {}, { token })
	expect(await closed).toBe(1000)
	expect(await connected()).toEqual([])
})

test('an evicted machine loses its socket and cannot open another', async () => {
	const { id, token } = await machine(world)
	const { closed } = await connect(token)
	await world.ask(evictMachine, { params: { machineId: id } }, await world.person())
	expect(await closed).toBe(SOCKET_NOT_ALLOWED)
	expect(await connected()).toEqual([])
	const headers = { authorization: `Bearer ${token}`, upgrade: 'websocket' }
	expect((await upgrade(headers)).status).toBe(401)
})

test('a machine that closes its socket gets a closing handshake and is no longer connected', async () => {
	const { socket, closed } = await connect((await machine(world)).token)
	socket.close(1000)
	await closed
	expect(await connected()).toEqual([])
})

test('the socket of a machine that sends anything but pings is closed', async () => {
	const { socket, closed } = await connect((await machine(world)).token)
	socket.send('{"type":"claim"}')
	expect(await closed).toBe(1008)
})

test('the socket of a machine requires a machine token and an upgrade', async () => {
	const { token } = await machine(world)
	const admin = await world.person()
	expect((await upgrade({ upgrade: 'websocket' })).status).toBe(401)
	expect((await upgrade({ upgrade: 'websocket', authorization: `Bearer ${admin.token}` })).status).toBe(401)
	expect((await upgrade({ authorization: `Bearer ${token}` })).status).toBe(400)
	expect(await connected()).toEqual([])
})

test('the fleet ignores a machine id header of the caller', async () => {
	const [north, south] = [await machine(world), await machine(world)]
	await upgrade({ authorization: `Bearer ${north.token}`, upgrade: 'websocket', 'x-machine-id': south.id })
	expect(await connected()).toEqual([north.id])
})
