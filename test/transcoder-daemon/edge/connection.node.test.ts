import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '#schema/contract/kit/client.ts'
import { FLEET_PROTOCOL, type MachineCapabilities, registerMachine } from '#schema/contract/video/fleet.ts'
import { holdConnection } from '../../../transcoder-daemon/edge/connection.ts'
import { sleep } from '../../../transcoder-daemon/time.ts'
import { type RunningWorker, secretVars, startWorker } from '../../support/shared/miniflare-worker.ts'
import { openFrontDoor } from '../failing-proxy.ts'
import { memoryLog } from '../memory-log.ts'

let worker: RunningWorker
beforeAll(async () => {
	worker = await startWorker()
})
afterAll(() => worker?.dispose())

async function newToken(fingerprint: string = crypto.randomUUID()): Promise<string> {
	const client = createClient<AbortSignal>({ baseUrl: worker.url, fetch, token: secretVars.FLEET_TOKEN })
	const capabilities: MachineCapabilities = {
		kind: 'cpu',
		cores: 1,
		memoryBytes: 1,
		ffmpegVersion: '5.1',
		encoders: ['libx264'],
		slots: 1,
	}
	const { data } = await client.call(registerMachine, {
		body: { fingerprint, name: 'north', protocol: FLEET_PROTOCOL, ...capabilities },
	})
	return data.token
}

/** Holds a connection in the background. A test can count wake calls and wait for them. */
function hold(edgeUrl: string, token: string, pingMs: number) {
	const { log, messages } = memoryLog()
	const end = new AbortController()
	let rings = 0
	let heard: () => void = () => {}
	const onWake = () => {
		rings++
		heard()
	}
	const onConnected = () => {}
	const line = { edgeUrl, token: () => token, onWake, onConnected, pingMs, sleep, random: () => 0.1, log }
	const held = holdConnection(line, end.signal)
	return {
		messages,
		async rung(times: number) {
			while (rings < times)
				await new Promise<void>((done) => {
					heard = done
				})
		},
		async [Symbol.asyncDispose]() {
			end.abort()
			await held
		},
	}
}

test('replaces a connection whose pings are not answered', async () => {
	await using door = await openFrontDoor()
	door.leadTo(worker.url)
	await using connection = hold(door.url, await newToken(), 500)
	await connection.rung(1)
	door.stall()
	await connection.rung(2)
	expect(connection.messages()).toEqual(['connected', 'connection to the edge lost', 'connected'])
})

test('reconnects after a broken connection without errors at the edge', async () => {
	await using door = await openFrontDoor()
	door.leadTo(worker.url)
	await using connection = hold(door.url, await newToken(), 10_000)
	for (let times = 1; times <= 3; times++) {
		await connection.rung(times)
		door.cut()
	}
	await connection.rung(4)
	expect(worker.logs.filter((line) => /error/i.test(line))).toEqual([])
})

test('keeps a connection while its pings are answered', async () => {
	await using door = await openFrontDoor()
	door.leadTo(worker.url)
	await using connection = hold(door.url, await newToken(), 500)
	await connection.rung(1)
	const before = door.carried()
	// A ping is a frame of ten bytes. Three later ones show that the earlier ones were answered.
	await expect.poll(() => door.carried() - before, { timeout: 20_000 }).toBeGreaterThanOrEqual(30)
	expect(connection.messages()).toEqual(['connected'])
})

test('logs a rejected token once and keeps trying to connect', async () => {
	const fingerprint = crypto.randomUUID()
	const ended = await newToken(fingerprint)
	const token = await newToken(fingerprint)
	let current = ended
	const { log, messages } = memoryLog()
	const end = new AbortController()
	let tries = 0
	const connected = new Promise<void>((onWake) => {
		const line = {
			edgeUrl: worker.url,
			token: () => current,
			onWake,
			onConnected() {},
			pingMs: 1_000,
			random: () => 0.1,
			log,
			async sleep() {
				if (++tries === 3) current = token
			},
		}
		void holdConnection(line, end.signal)
	})
	await connected
	end.abort()
	expect(tries).toBe(3)
	expect(messages()).toEqual(['cannot connect to the edge; polling meanwhile', 'connected'])
})
