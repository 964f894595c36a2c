import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { signup } from '#schema/contract/accounts/identity.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import { listMachines, startMachine } from '#schema/contract/operations/diagnostics.ts'
import { type RunningWorker, secretVars, startWorker } from '../support/shared/miniflare-worker.ts'
import { spawnDaemon } from './daemon-process.ts'
import { openFailingProxy } from './failing-proxy.ts'
import { fakeFfmpeg } from './fake-ffmpeg.ts'

let worker: RunningWorker
let admin: ReturnType<typeof createClient<AbortSignal>>
let dir: string
let data: string
let env: Record<string, string>

beforeAll(async () => {
	worker = await startWorker()
	const anyone = createClient<AbortSignal>({ baseUrl: worker.url, fetch })
	const body = { email: 'first@example.org', password: 'correct horse battery', name: 'First' }
	const { data } = await anyone.call(signup, { body })
	admin = createClient<AbortSignal>({ baseUrl: worker.url, fetch, token: data.token })
})
afterAll(() => worker?.dispose())

beforeEach(async () => {
	dir = await mkdtemp(join(tmpdir(), 'playhouse-'))
	data = join(dir, 'data')
	env = {
		PLAYHOUSE_EDGE_URL: worker.url,
		PLAYHOUSE_FLEET_TOKEN: secretVars.FLEET_TOKEN,
		PLAYHOUSE_DATA_DIR: data,
		PLAYHOUSE_NAME: 'north',
		FFMPEG_PATH: await fakeFfmpeg(dir, ['libx264'], 'echo frame=12; echo progress=end'),
	}
})
afterEach(() => rm(dir, { recursive: true, force: true }))

async function find(id: string | undefined) {
	const found = (await admin.call(listMachines, {})).data.find((machine) => machine.id === id)
	if (!found) throw new Error(`no machine ${id}`)
	return found
}

test('the daemon registers, keeps its socket open, and claims at once when the edge wakes it', async () => {
	await using daemon = spawnDaemon(env)
	const { machineId } = await daemon.waitForLog('registered')
	await daemon.waitForLog('connected')
	const first = await find(machineId)
	expect(first).toMatchObject({ name: 'north', state: 'online', connected: true })
	expect(first.capabilities).toMatchObject({ kind: 'cpu', encoders: ['libx264'], ffmpegVersion: '7.1-fake' })
	// Registration, first heartbeat and connect cause three claims at most; the wakeup causes the fourth.
	const times = new Set<string>()
	const call = async () => {
		await admin.call(startMachine, { params: { machineId: first.id } })
		return times.add((await find(machineId)).lastSeenAt).size
	}
	await expect.poll(call).toBeGreaterThan(3)
})

test('the daemon keeps its identity when killed at any time and restarted', async () => {
	let machineId: string | undefined
	for (let round = 0; round < 3; round++) {
		await using daemon = spawnDaemon(env)
		const line = await daemon.waitForLog('registered')
		machineId ??= line.machineId
		expect(line.machineId).toBe(machineId)
		daemon.kill('SIGKILL')
		expect(await daemon.ended).toEqual({ code: null, signal: 'SIGKILL' })
	}
	expect((await admin.call(listMachines, {})).data.filter(({ id }) => id === machineId)).toHaveLength(1)
})

test.each(['SIGTERM', 'SIGINT'] as const)('the daemon signs off on %s', async (signal) => {
	await using daemon = spawnDaemon(env)
	const { machineId } = await daemon.waitForLog('registered')
	await daemon.waitForLog('connected')
	daemon.kill(signal)
	expect(await daemon.ended).toEqual({ code: 0, signal: null })
	expect(daemon.lines.at(-1)?.message).toBe('signed off')
	expect(await find(machineId)).toMatchObject({ state: 'offline', connected: false })
})

test('the daemon stops on a second signal even if the edge hangs', async () => {
	await using proxy = await openFailingProxy()
	proxy.forwardTo(worker.url)
	await using daemon = spawnDaemon({ ...env, PLAYHOUSE_EDGE_URL: proxy.url })
	await daemon.waitForLog('connected')
	proxy.hang()
	daemon.kill('SIGTERM')
	await daemon.waitForLog('draining')
	daemon.kill('SIGTERM')
	expect(await daemon.ended).toEqual({ code: 143, signal: null })
	expect(daemon.lines.at(-1)?.message).toBe('stopping at once')
})

test('the daemon waits for its edge at startup and reconnects after an edge restart', async () => {
	await using proxy = await openFailingProxy()
	await using daemon = spawnDaemon({ ...env, PLAYHOUSE_EDGE_URL: proxy.url })
	await daemon.waitForLog("can't reach the edge")
	const persistTo = join(dir, 'edge')
	{
		await using first = await startWorker({ persistTo })
		proxy.forwardTo(first.url)
		await daemon.waitForLog('registered')
		await daemon.waitForLog('connected')
		proxy.stop()
	}
	await daemon.waitForLog('connection to the edge lost')
	await using second = await startWorker({ persistTo })
	proxy.forwardTo(second.url)
	await daemon.waitForLog('connected')
	expect(daemon.lines.filter(({ message }) => message === 'registered')).toHaveLength(1)
})

test('the daemon registers again with an edge that lost its data', async () => {
	await using proxy = await openFailingProxy()
	await using daemon = spawnDaemon({ ...env, PLAYHOUSE_EDGE_URL: proxy.url })
	{
		await using first = await startWorker()
		proxy.forwardTo(first.url)
		await daemon.waitForLog('connected')
		proxy.stop()
	}
	proxy.forwardTo(worker.url)
	const { machineId } = await daemon.waitForLog('registered')
	expect(await find(machineId)).toMatchObject({ state: 'online' })
})

test('the daemon logs a wrong token without printing it, and ends when stopped', async () => {
	const wrong = 'a-token-that-is-wrong-in-every-letter'
	await using daemon = spawnDaemon({ ...env, PLAYHOUSE_FLEET_TOKEN: wrong })
	const line = await daemon.waitForLog('PLAYHOUSE_FLEET_TOKEN')
	expect(line).toMatchObject({
		level: 'error',
		message: "the edge rejects the fleet token: set PLAYHOUSE_FLEET_TOKEN to the edge's FLEET_TOKEN",
		code: 'unauthorized',
	})
	daemon.kill('SIGTERM')
	expect(await daemon.ended).toEqual({ code: 0, signal: null })
	expect(JSON.stringify(daemon.lines)).not.toContain(wrong)
})

test('a second daemon on the same data directory exits', async () => {
	await using first = spawnDaemon(env)
	await first.waitForLog('registered')
	await using second = spawnDaemon(env)
	await second.waitForLog('another daemon already uses')
	expect((await second.ended).code).toBe(1)
})

test('the daemon lists every configuration problem and exits', async () => {
	await using daemon = spawnDaemon({ ...env, PLAYHOUSE_EDGE_URL: '', PLAYHOUSE_SLOTS: 'many' })
	expect((await daemon.ended).code).toBe(78)
	expect(daemon.lines.map(({ message }) => message)).toEqual([
		'PLAYHOUSE_EDGE_URL: set it to the http(s) address of the edge',
		'PLAYHOUSE_SLOTS: must be a whole number',
	])
})

test.each([
	[
		'ffmpeg',
		'echo "error while loading shared libraries: libavcodec.so.59" >&2; exit 127',
		/libavcodec\.so\.59/,
	],
	['ffprobe', 'kill -SEGV $$', /SIGSEGV|segmentation/i],
	['ffprobe', 'echo hello', /does not report its version/],
])('the daemon exits with 78 and says what to do when %s is broken by: %s', async (name, script, reason) => {
	await writeFile(join(dir, name), `#!/bin/sh\n${script}\n`)
	await using daemon = spawnDaemon(env)
	expect((await daemon.ended).code).toBe(78)
	const errors = daemon.lines.filter(({ level }) => level === 'error')
	expect(errors).toHaveLength(1)
	const [{ message = '' } = {}] = errors
	expect(message).toMatch(reason)
	expect(message).toContain(`${join(dir, name)} does not work (`)
	expect(message).toMatch(/install ffmpeg again \(apt install .*\), or set FFMPEG_PATH and FFPROBE_PATH/)
})

test('a daemon without a working H.264 encoder does not register', async () => {
	await fakeFfmpeg(dir, ['libx264'], 'echo "no such device" >&2; exit 1')
	await using daemon = spawnDaemon(env)
	await daemon.waitForLog('no working H.264 encoder')
	expect((await daemon.ended).code).toBe(78)
})

test('the daemon prints its capabilities with --status without calling the edge', async () => {
	await fakeFfmpeg(
		dir,
		['h264_nvenc', 'libx264'],
		'case "$*" in *nvenc*) echo "no card" >&2; exit 1;; esac; echo frame=12; echo progress=end',
	)
	await using daemon = spawnDaemon({ PLAYHOUSE_NAME: 'north', FFMPEG_PATH: join(dir, 'ffmpeg') }, [
		'--status',
	])
	expect((await daemon.ended).code).toBe(0)
	const text = daemon.lines.map(({ message }) => message).join('\n')
	expect(text).toMatch(/^name +north$/m)
	expect(text).toMatch(/^ {2}fails {2}h264_nvenc +no card$/m)
	expect(text).toMatch(/^ {2}works {2}libx264 +\d+ ms$/m)
})

test.each([
	['--help', 0],
	['--unknown', 64],
] as const)('the daemon exits on %s with status %i', async (option, code) => {
	await using daemon = spawnDaemon({}, [option])
	expect((await daemon.ended).code).toBe(code)
})
