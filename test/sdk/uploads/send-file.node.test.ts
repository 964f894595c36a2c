import { randomBytes, randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { Playhouse, type UploadState } from '../../../sdk/src/index.ts'
import { openCuttingProxy } from '../../edge/video/uploads/tus/cutting-proxy.node.ts'
import { MIB, sha256, sourceDigest } from '../../edge/video/uploads/tus/film.node.ts'
import { type RunningWorker, startWorker } from '../../support/shared/miniflare-worker.ts'

let worker: RunningWorker
let token: string
beforeAll(async () => {
	worker = await startWorker()
	const account = { email: 'ada@example.org', password: 'correct horse battery', name: 'Ada' }
	token = (await new Playhouse({ baseUrl: worker.url }).auth.signup(account)).token
})
afterAll(() => worker?.dispose())

const connect = (baseUrl = worker.url) => new Playhouse({ baseUrl, token })
const createFilm = async (size: number) => {
	const bytes = randomBytes(size)
	const { id: assetId } = await connect().assets.create({ title: 'Film' })
	return { bytes, file: new Blob([bytes]), assetId }
}

/** Starts a proxy that counts the bytes to the Worker, and resets connections after the given numbers of bytes. */
async function openProxy(cuts: number[]) {
	const proxy = await openCuttingProxy(
		() => Number(new URL(worker.url).port),
		() => cuts.pop(),
	)
	onTestFinished(() => proxy.close())
	return proxy
}

test('a small file is sent in one request, and becomes the source', async () => {
	const { bytes, file, assetId } = await createFilm(300_000)
	const seen: number[] = []
	await connect().uploads.send(file, { assetId, onProgress: ({ stored }) => seen.push(stored) })
	expect(await sourceDigest(worker, assetId)).toBe(sha256(bytes))
	expect(new Set(seen)).toEqual(new Set([0, 300_000]))
})

test('a file sent in chunks arrives complete, even if connections break at random bytes', async () => {
	const size = 6 * MIB + 1
	const { bytes, file, assetId } = await createFilm(size)
	const proxy = await openProxy(Array.from({ length: 6 }, () => randomInt(1, 2 * MIB)))
	const seen: number[] = []
	const options = {
		assetId,
		wholeUpToBytes: 0,
		chunkBytes: MIB,
		onProgress: ({ stored }: { stored: number }) => seen.push(stored),
	}
	await connect(proxy.url).uploads.send(file, options)
	expect(await sourceDigest(worker, assetId)).toBe(sha256(bytes))
	expect(proxy.cuts).toBeGreaterThan(0)
	expect(seen).toEqual(seen.toSorted((a, b) => a - b))
	expect(seen.at(-1)).toBe(size)
})

test('another process continues from the stored state, and sends at most one chunk again', async () => {
	const size = 5 * MIB
	const { bytes, file, assetId } = await createFilm(size)
	const end = new AbortController()
	let stored = ''
	const first = connect().uploads.send(file, {
		assetId,
		wholeUpToBytes: 0,
		chunkBytes: MIB,
		signal: end.signal,
		onState: (state) => {
			stored = JSON.stringify(state)
		},
		onProgress: ({ stored }) => stored >= 2 * MIB && end.abort(),
	})
	await expect(first).rejects.toMatchObject({ name: 'CanceledError' })
	const state = JSON.parse(stored) as UploadState
	const sizes: number[] = []
	const counting: typeof fetch = (input, init) => {
		if (init?.body instanceof Blob) sizes.push(init.body.size)
		return fetch(input, init)
	}
	const other = new Playhouse({ baseUrl: worker.url, token, fetch: counting })
	await other.uploads.send(file, { assetId, state, chunkBytes: MIB })
	expect(await sourceDigest(worker, assetId)).toBe(sha256(bytes))
	expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(3 * MIB)
	// Simulates a crash between the last byte and the end of the program.
	sizes.length = 0
	await other.uploads.send(file, { assetId, state })
	expect(sizes).toEqual([])
})

test('an upload that no longer exists on the server starts again', async () => {
	const { bytes, file, assetId } = await createFilm(2 * MIB)
	const url = `${worker.url}/upload/videos/${'0'.repeat(22)}`
	const { token: uploadToken } = await connect().uploads.createToken({ assetId, fileSize: 2 * MIB })
	const state = { assetId, size: 2 * MIB, url, token: uploadToken }
	await connect().uploads.send(file, { assetId, state })
	expect(await sourceDigest(worker, assetId)).toBe(sha256(bytes))
})

test('uploads.send rejects an empty file or the state of another file before it sends a request', async () => {
	const { file, assetId } = await createFilm(1)
	const { send } = connect('http://127.0.0.1:9').uploads
	await expect(send(new Blob([]), { assetId })).rejects.toThrow('the file is empty; pass a file with content')
	const state = { assetId, size: 2, url: 'http://127.0.0.1:9/', token: 't' }
	await expect(send(file, { assetId, state })).rejects.toThrow('the state belongs to another file or asset')
})
