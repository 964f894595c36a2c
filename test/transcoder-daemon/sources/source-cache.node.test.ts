import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSourceCache } from '../../../transcoder-daemon/sources/source-cache.ts'
import { CHUNK_BYTES } from '../../../transcoder-daemon/sources/source-download.ts'
import { SourceError } from '../../../transcoder-daemon/tasks/task.ts'
import { sleep } from '../../../transcoder-daemon/time.ts'
import { type FakeEdge, openFakeEdge } from '../fake-edge.ts'
import { memoryLog } from '../memory-log.ts'

let edge: FakeEdge
let dir: string
let now = 0
const never = new AbortController().signal

beforeEach(async () => {
	edge = await openFakeEdge()
	dir = await mkdtemp(join(tmpdir(), 'playhouse-'))
})
afterEach(async () => {
	await edge[Symbol.asyncDispose]()
	await rm(dir, { recursive: true, force: true })
})

const open = (capacityBytes: number | null = null) =>
	openSourceCache({
		...{ dir, capacityBytes, log: memoryLog().log, now: () => ++now },
		network: { fetch, sleep: (_ms, signal) => sleep(1, signal), random: () => 0.5 },
	})

test('the source cache shares one download in ranges between concurrent users', async () => {
	const content = randomBytes(CHUNK_BYTES * 2 + 77)
	const source = edge.addSource('src1', content)
	const cache = await open()
	const [one, two] = await Promise.all([cache.use(source, never), cache.use(source, never)])
	expect(one.path).toBe(two.path)
	expect((await readFile(one.path)).equals(content)).toBe(true)
	expect(edge.gets.map(({ range }) => range).sort()).toEqual([
		`bytes=0-${CHUNK_BYTES - 1}`,
		`bytes=${CHUNK_BYTES}-${CHUNK_BYTES * 2 - 1}`,
		`bytes=${CHUNK_BYTES * 2}-${CHUNK_BYTES * 2 + 76}`,
	])
	expect(cache.ids()).toEqual(['src1'])
})

test('a download continues when one of its users stops, and ends when all have stopped', async () => {
	const source = edge.addSource('src1', randomBytes(CHUNK_BYTES * 6))
	edge.injectStorageFaults(() => 'hang')
	const cache = await open()
	const [first, second] = [new AbortController(), new AbortController()]
	const one = cache.use(source, first.signal)
	const two = cache.use(source, second.signal)
	await expect.poll(() => edge.gets.length).toBe(4)
	first.abort(new Error('first stopped'))
	await expect(one).rejects.toThrow('first stopped')
	second.abort(new Error('second stopped'))
	await expect(two).rejects.toThrow('second stopped')
	edge.injectStorageFaults(() => null)
	await using again = await cache.use(source, never)
	expect(await readFile(again.path)).toHaveLength(CHUNK_BYTES * 6)
})

test('the source cache resumes a download where the connection broke', async () => {
	const content = randomBytes(1_000_000)
	const source = edge.addSource('src1', content)
	edge.injectStorageFaults((_method, _path, count) => (count === 1 ? 'lost' : null))
	const cache = await open()
	await using pinned = await cache.use(source, never)
	expect((await readFile(pinned.path)).equals(content)).toBe(true)
	expect(edge.gets).toHaveLength(2)
})

test('the source cache keeps sources across a restart, except a truncated one', async () => {
	const source = edge.addSource('src1', randomBytes(1_000))
	{
		const cache = await open()
		await using _pinned = await cache.use(source, never)
	}
	const cache = await open()
	expect(cache.ids()).toEqual(['src1'])
	{
		await using pinned = await cache.use(source, never)
		expect(edge.gets).toHaveLength(1)
		await truncate(pinned.path, 500)
	}
	await using pinned = await (await open()).use(source, never)
	expect(await readFile(pinned.path)).toHaveLength(1_000)
	expect(edge.gets).toHaveLength(2)
})

test('the source cache reports a source that was replaced in the store as a source error', async () => {
	const source = edge.addSource('src1', randomBytes(1_000))
	edge.addSource('src1', randomBytes(1_000))
	const cache = await open()
	await expect(cache.use(source, never)).rejects.toBeInstanceOf(SourceError)
	expect(cache.ids()).toEqual([])
})

test('the source cache reports an expired URL as a temporary error', async () => {
	const source = edge.addSource('src1', randomBytes(1_000))
	edge.injectStorageFaults(() => ({ status: 403 }))
	const cache = await open()
	await expect(cache.use(source, never)).rejects.toMatchObject({ name: 'TemporaryError' })
	expect(edge.gets).toHaveLength(1)
})

test('the source cache evicts the least recently used sources, except those in use', async () => {
	const sources = [1, 2, 3, 4].map((n) => edge.addSource(`src${n}`, randomBytes(1_000)))
	const [a, b, c, d] = sources
	if (!a || !b || !c || !d) throw new Error('unreachable')
	const cache = await open(2_500)
	await using _inUse = await cache.use(a, never)
	for (const source of [b, c, d]) await (await cache.use(source, never))[Symbol.asyncDispose]()
	expect(cache.ids()).toEqual(['src4', 'src1'])
	expect(cache.usage()).toMatchObject({ bytes: 2_000, capacityBytes: 2_500 })
	expect(await readdir(dir)).toHaveLength(2)
})

test('the source cache loads a source larger than the cache, alone', async () => {
	const cache = await open(500)
	await (await cache.use(edge.addSource('src1', randomBytes(400)), never))[Symbol.asyncDispose]()
	await using pinned = await cache.use(edge.addSource('src2', randomBytes(1_000)), never)
	expect(await readFile(pinned.path)).toHaveLength(1_000)
	expect(cache.ids()).toEqual(['src2'])
})

test('the source cache deletes unknown files in its folder', async () => {
	await writeFile(join(dir, 'rubbish'), 'x')
	const cache = await open()
	expect(cache.usage().sources).toBe(0)
	expect(await readdir(dir)).toEqual([])
})

test('the source cache logs a full disk once and reports it as a temporary error', async () => {
	const { log, messages } = memoryLog()
	const network = { fetch, sleep, random: () => 0.5 }
	const cache = await openSourceCache({ dir, capacityBytes: null, log, now: () => ++now, network })
	const source = { ...edge.addSource('src1', randomBytes(10)), sizeBytes: 2 ** 50 }
	await expect(cache.use(source, never)).rejects.toMatchObject({ name: 'DiskFullError' })
	expect(messages()).toEqual(['the disk is full'])
	expect(edge.gets).toEqual([])
})
