import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createClient } from '#schema/contract/kit/client.ts'
import { claimTask, type LeasedTask, OUTPUT_PART_BYTES } from '#schema/contract/video/leases.ts'
import { Lease, LeaseLostError } from '../../../transcoder-daemon/edge/lease.ts'
import { outputAddresses } from '../../../transcoder-daemon/outputs/output-addresses.ts'
import { listExpectedNames } from '../../../transcoder-daemon/outputs/output-names.ts'
import { createOutputs } from '../../../transcoder-daemon/outputs/outputs.ts'
import { sleep } from '../../../transcoder-daemon/time.ts'
import { type FakeEdge, openFakeEdge } from '../fake-edge.ts'
import { memoryLog } from '../memory-log.ts'

const LEASE_MS = 60_000
let edge: FakeEdge
let dir: string
beforeEach(async () => {
	edge = await openFakeEdge()
	dir = await mkdtemp(join(tmpdir(), 'playhouse-'))
})
afterEach(async () => {
	await edge[Symbol.asyncDispose]()
	await rm(dir, { recursive: true, force: true })
})

const audio = { num: 4, den: 1 }
const track = { id: 'a0', bitrateKbps: 128, sampleRate: 48_000, channels: 2, isCopied: false }
const stream = {
	...{ streamIndex: 1, codec: 'aac', profile: null, channels: 2, sampleRate: 48_000, bitrateKbps: null },
	...{ startSec: 0, clockSec: null, durationSec: 400, language: null, title: null, isDefault: true },
}
const file = { codec: 'aac', bitrateKbps: 128, sampleRate: 48_000, channels: 2, normalize: false } as const
const task: LeasedTask = {
	id: 'tsk_00000000000000000000000001',
	epoch: 1,
	spec: {
		...{ kind: 'audio', tracks: [{ ...track, source: stream }], segment: audio, durationSec: null },
		...{ playback: file, ai: file, filesOnly: false },
	},
	source: null,
	leaseSeconds: LEASE_MS / 1_000,
	deadlineSec: 600,
}

async function open(now = () => performance.now()) {
	const client = createClient<AbortSignal>({ baseUrl: edge.url, fetch })
	edge.offer(task)
	await client.call(claimTask, { body: {} })
	const delays: number[] = []
	const shortSleep = async (ms: number, signal: AbortSignal) => {
		delays.push(ms)
		await sleep(1, signal)
	}
	const deps = { sleep: shortSleep, random: () => 0.5, clock: now, log: memoryLog().log }
	const session = { client, token: () => 'machine-token', onUnauthorized() {} }
	const lease = new Lease(task, now(), { ...deps, session })
	const addresses = outputAddresses(lease, client, listExpectedNames(task.spec), now, lease.signal)
	const network = { fetch, sleep: shortSleep, random: () => 0.5 }
	const outputs = createOutputs({ addresses, network, check: () => lease.check(), signal: lease.signal })
	return { outputs, lease, delays }
}

const stored = (name: string) => edge.objects.get(`/storage/${task.id}-1/${name}`)

test('the upload requests URLs of a hundred segments in one call and stores them with their lengths', async () => {
	const { outputs } = await open()
	await outputs.put('a0/init.mp4', randomBytes(800))
	for (let n = 0; n < 100; n++) await outputs.put(`a0/${n}.m4s`, Buffer.alloc(1_000 + n, n))
	await outputs.flush()
	expect(edge.objects.size).toBe(101)
	expect(stored('a0/42.m4s')).toEqual(Buffer.alloc(1_042, 42))
	expect(edge.puts.every(({ length }) => Number(length) > 0)).toBe(true)
	expect(edge.callsTo('presignOutputs')).toHaveLength(1)
})

test('the upload requests URLs of unexpected names when they are used', async () => {
	const { outputs } = await open()
	const path = join(dir, 'playback.m4a')
	await writeFile(path, randomBytes(300_000))
	expect(await outputs.putFile('playback.m4a', path)).toEqual({ bytes: 300_000 })
	await outputs.flush()
	expect(stored('playback.m4a')).toHaveLength(300_000)
	expect(edge.callsTo('presignOutputs')[0]?.body.names).toEqual(['playback.m4a'])
})

test('the upload is retried after failures, and objects stored despite a lost response are accepted', async () => {
	edge.injectStorageFaults((_method, path, count) => {
		if (path.endsWith('/0.m4s') && count < 3) return { status: 503 }
		return path.endsWith('/1.m4s') && count === 1 ? 'lost' : null
	})
	const { outputs } = await open()
	await outputs.put('a0/0.m4s', Buffer.from('zero'))
	await outputs.put('a0/1.m4s', Buffer.from('one'))
	await outputs.flush()
	expect(stored('a0/0.m4s')?.toString()).toBe('zero')
	expect(stored('a0/1.m4s')?.toString()).toBe('one')
})

test('the upload requests a new URL when one has expired', async () => {
	edge.injectStorageFaults((_method, _path, count) => (count === 1 ? { status: 403 } : null))
	const { outputs } = await open()
	await outputs.put('a0/0.m4s', Buffer.from('zero'))
	await outputs.flush()
	expect(edge.callsTo('presignOutputs')).toHaveLength(2)
})

test('the upload rejects later calls and the flush after a permanent storage error', async () => {
	edge.injectStorageFaults(() => ({ status: 400 }))
	const { outputs } = await open()
	await outputs.put('a0/0.m4s', Buffer.from('zero'))
	await expect(outputs.flush()).rejects.toMatchObject({
		message: 'the processed video could not be stored',
		cause: { message: expect.stringContaining('a0/0.m4s') },
	})
	await expect(outputs.put('a0/1.m4s', Buffer.from('one'))).rejects.toThrow('could not be stored')
})

test('uploads in flight are limited, and waiting ones are rejected when the lease is lost', async () => {
	edge.injectStorageFaults(() => 'hang')
	let now = 0
	const { outputs, lease } = await open(() => now)
	const size = 20 * 1024 ** 2
	let entered = 0
	const putting = (async () => {
		for (let n = 0; n < 6; n++) {
			await outputs.put(`a0/${n}.m4s`, Buffer.alloc(size))
			entered++
		}
	})()
	await expect.poll(() => edge.puts.length).toBe(3)
	expect(entered).toBe(3)
	now = LEASE_MS
	expect(() => lease.check()).toThrow(LeaseLostError)
	await expect(putting).rejects.toBeInstanceOf(LeaseLostError)
	await expect(outputs.flush()).rejects.toBeInstanceOf(LeaseLostError)
	expect(edge.puts).toHaveLength(3)
})

test('a large file is uploaded in parts of the agreed size from disk', async () => {
	const path = join(dir, '720p.mp4')
	await writeFile(path, 'begin')
	await truncate(path, OUTPUT_PART_BYTES * 2 + 10)
	const { outputs } = await open()
	const { bytes, parts } = await outputs.putInParts(path)
	expect(bytes).toBe(OUTPUT_PART_BYTES * 2 + 10)
	expect(parts.map(({ partNumber }) => partNumber)).toEqual([1, 2, 3])
	// Completing an upload takes part ETags without the quotes of HTTP.
	expect(parts.every(({ etag }) => /^[^"]+$/.test(etag))).toBe(true)
	expect(stored('part-2')).toHaveLength(OUTPUT_PART_BYTES)
	expect(stored('part-3')).toHaveLength(10)
	expect(edge.callsTo('presignParts')).toHaveLength(1)
})

test('a stream is uploaded in parts of the agreed size, whatever its chunk sizes', async () => {
	async function* pieces() {
		for (let n = 0; n < 70; n++) yield Buffer.alloc(1_000_000, n)
	}
	const { outputs } = await open()
	const { bytes, parts } = await outputs.putStream(pieces())
	expect(bytes).toBe(70_000_000)
	expect(parts.map(({ partNumber }) => partNumber)).toEqual([1, 2, 3])
	const whole = Buffer.concat([1, 2, 3].map((n) => stored(`part-${n}`) ?? Buffer.alloc(0)))
	expect(whole).toHaveLength(70_000_000)
	expect([whole[0], whole[33_999_999], whole[69_999_999]]).toEqual([0, 33, 69])
})

test('no output is stored after the lease has expired', async () => {
	let now = 0
	const { outputs, lease } = await open(() => now)
	await outputs.put('a0/0.m4s', Buffer.from('zero'))
	await outputs.flush()
	now = LEASE_MS
	await outputs.put('a0/1.m4s', Buffer.from('one')).catch(() => {})
	await expect(outputs.flush()).rejects.toBeInstanceOf(LeaseLostError)
	expect(lease.signal.aborted).toBe(true)
	expect(edge.puts).toHaveLength(1)
})

test('no output is stored when the edge reports that the task was reassigned', async () => {
	const { outputs } = await open()
	edge.withdraw(task.id, 'conflict')
	await outputs.put('a0/0.m4s', Buffer.from('zero'))
	await expect(outputs.flush()).rejects.toBeInstanceOf(LeaseLostError)
	expect(edge.puts).toEqual([])
})
