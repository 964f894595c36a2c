import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '#schema/contract/kit/client.ts'
import { FLEET_PROTOCOL, type MachineCapabilities, registerMachine } from '#schema/contract/video/fleet.ts'
import { holdConnection } from '../../../transcoder-daemon/edge/connection.ts'
import { sleep } from '../../../transcoder-daemon/time.ts'
import { type RunningWorker, secretVars, startWorker } from '../../support/shared/miniflare-worker.ts'
import { openFailingProxy } from '../failing-proxy.ts'
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

/** Holds a connection in the background. A test can wait for a number of wake calls. */
function hold(edgeUrl: string, token: string, pingMs: number) {
	const { log, messages } = memoryLog()
	const end = new AbortController()
	let wakeCalls = 0
	let notify: () => void = () => {}
	const onWake = () => {
		wakeCalls++
		notify()
	}
	const onConnected = () => {}
	const options = { edgeUrl, token: () => token, onWake, onConnected, pingMs, sleep, random: () => 0.1, log }
	const held = holdConnection(options, end.signal)
	return {
		messages,
		async waitForWakes(times: number) {
			while (wakeCalls < times)
				await new Promise<void>((done) => {
					notify = done
				})
		},
		async [Symbol.asyncDispose]() {
			end.abort()
			await held
		},
	}
}

test('the daemon replaces a connection whose pings are not answered', async () => {
	await using proxy = await openFailingProxy()
	proxy.forwardTo(worker.url)
	await using connection = hold(proxy.url, await newToken(), 500)
	await connection.waitForWakes(1)
	proxy.stall()
	await connection.waitForWakes(2)
	expect(connection.messages()).toEqual(['connected', 'connection to the edge lost', 'connected'])
})

test('the daemon reconnects after a broken connection without errors at the edge', async () => {
	await using proxy = await openFailingProxy()
	proxy.forwardTo(worker.url)
	await using connection = hold(proxy.url, await newToken(), 10_000)
	for (let times = 1; times <= 3; times++) {
		await connection.waitForWakes(times)
		proxy.breakConnections()
	}
	await connection.waitForWakes(4)
	expect(worker.logs.filter((line) => /error/i.test(line))).toEqual([])
})

test('the daemon keeps a connection while its pings are answered', async () => {
	await using proxy = await openFailingProxy()
	proxy.forwardTo(worker.url)
	await using connection = hold(proxy.url, await newToken(), 500)
	await connection.waitForWakes(1)
	const before = proxy.receivedBytes()
	// A ping is a frame of ten bytes. Three later ones show that the earlier ones were answered.
	await expect.poll(() => proxy.receivedBytes() - before).toBeGreaterThanOrEqual(30)
	expect(connection.messages()).toEqual(['connected'])
})

test('the daemon logs a rejected token once and keeps trying to connect', async () => {
	const fingerprint = crypto.randomUUID()
	const revoked = await newToken(fingerprint)
	const token = await newToken(fingerprint)
	let current = revoked
	const { log, messages } = memoryLog()
	const end = new AbortController()
	let tries = 0
	const connected = new Promise<void>((onWake) => {
		const options = {
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
		void holdConnection(options, end.signal)
	})
	await connected
	end.abort()
	expect(tries).toBe(3)
	expect(messages()).toEqual(["can't connect to the edge; polling meanwhile", 'connected'])
})
