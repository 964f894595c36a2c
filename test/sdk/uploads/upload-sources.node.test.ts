import { randomBytes } from 'node:crypto'
import { truncateSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
	Playhouse,
	type UploadProgress,
	type UploadSource,
	type UploadState,
} from '../../../sdk/src/index.ts'
import { MIB, sha256 } from '../../edge/video/uploads/tus/film.node.ts'
import { startUploadSink } from './upload-sink.node.ts'

const SIZE = 3 * MIB + 1
const bytes = randomBytes(SIZE)
const assetId = 'ast_1'
let folder: string
let path: string
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'playhouse-sources-'))
	path = join(folder, 'film.mp4')
	await writeFile(path, bytes)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const connect = (baseUrl: string) => new Playhouse({ baseUrl, retries: 0 })
/** Returns a stream whose pieces are smaller and larger than a chunk. */
const toStream = (content: Uint8Array = bytes, piece = 700_000) =>
	new Response(new Blob([content])).body?.pipeThrough(cutInto(piece)) as ReadableStream<Uint8Array>
const cutInto = (piece: number) =>
	new TransformStream<Uint8Array, Uint8Array>({
		transform(part, controller) {
			for (let at = 0; at < part.length; at += piece) controller.enqueue(part.subarray(at, at + piece))
		},
	})

describe('sources of an upload', () => {
	test('a file that is named by its path is sent whole, with its length', async () => {
		const lengths: unknown[] = []
		const sink = await startUploadSink({
			beforeBody: ({ headers }) => lengths.push(headers['content-length']),
		})
		await connect(sink.url).uploads.send(path, { assetId })
		expect(sink.digest()).toBe(sha256(bytes))
		expect(lengths).toEqual([String(SIZE)])
	})

	test('a path is also sent by the fetch function of the caller, with its length', async () => {
		const lengths: unknown[] = []
		const sink = await startUploadSink({
			beforeBody: ({ headers }) => lengths.push(headers['content-length']),
		})
		const own: typeof fetch = (input, init) => fetch(input, init)
		const playhouse = new Playhouse({ baseUrl: sink.url, fetch: own })
		await playhouse.uploads.send(path, { assetId, wholeUpToBytes: 0, chunkBytes: 2 * MIB })
		expect(sink.digest()).toBe(sha256(bytes))
		expect(lengths).toEqual([2 * MIB, SIZE - 2 * MIB].map(String))
	})

	test('an upload of a path gets the error of a server that responds before it reads the body', async () => {
		const sink = await startUploadSink({ refuseWith: 403 })
		const sent = connect(sink.url).uploads.send(path, { assetId, wholeUpToBytes: 0 })
		await expect(sent).rejects.toMatchObject({ name: 'PermissionError', status: 403 })
	})

	test.each([
		['a path', () => path],
		['a stream', () => toStream()],
		['a stream of large pieces', () => toStream(bytes, SIZE)],
		['a Blob', () => new Blob([bytes])],
	])('%s is sent in chunks', async (_name, source) => {
		const sink = await startUploadSink()
		const options = { assetId, wholeUpToBytes: 0, chunkBytes: MIB, size: SIZE }
		await connect(sink.url).uploads.send(source(), options)
		expect(sink.digest()).toBe(sha256(bytes))
		expect(sink.requests.slice(2)).toEqual([0, 1, 2, 3].map((index) => `PATCH ${index * MIB}`))
	})

	test.each([
		['a path', () => path],
		['a stream', () => toStream()],
	])('another process continues an upload of %s, without the stored bytes', async (_name, source) => {
		const sink = await startUploadSink()
		const end = new AbortController()
		const options = { assetId, wholeUpToBytes: 0, chunkBytes: MIB, size: SIZE }
		let state: UploadState | undefined
		const first = connect(sink.url).uploads.send(source(), {
			...options,
			signal: end.signal,
			onState: (begun) => {
				state = begun
			},
			onProgress: ({ stored }) => stored >= 2 * MIB && end.abort(),
		})
		await expect(first).rejects.toMatchObject({ name: 'CanceledError' })
		const { stored } = sink
		await connect(sink.url).uploads.send(source(), { ...options, ...(state && { state }) })
		expect(sink.stored).toBe(SIZE)
		expect(sink.requests).toContain(`PATCH ${stored}`)
		expect(sink.digest()).toBe(sha256(bytes))
	})

	test('aborting the signal ends the upload of a stream that delivers nothing', async () => {
		const sink = await startUploadSink()
		const end = new AbortController()
		const silent = new ReadableStream<Uint8Array>({ pull: () => end.abort() })
		const sent = connect(sink.url).uploads.send(silent, { assetId, size: 5, signal: end.signal })
		await expect(sent).rejects.toMatchObject({ name: 'CanceledError' })
	})
})

describe('progress inside a chunk', () => {
	test.each([
		['a path', () => path],
		['a stream', () => toStream()],
		['a Blob', () => new Blob([bytes])],
	])('the upload of %s reports bytes before the server has read the chunk', async (_name, source) => {
		const begun = Promise.withResolvers<void>()
		const sink = await startUploadSink({ beforeBody: () => begun.promise })
		const seen: UploadProgress[] = []
		await connect(sink.url).uploads.send(source(), {
			assetId,
			wholeUpToBytes: 0,
			size: SIZE,
			onProgress(progress) {
				seen.push(progress)
				begun.resolve()
			},
		})
		expect(seen[0]).toMatchObject({ stored: 0, size: SIZE })
		expect(seen[0]?.sent).toBeGreaterThan(0)
		expect(seen.at(-1)).toEqual({ sent: SIZE, stored: SIZE, size: SIZE })
	})

	test('an error of onProgress ends the upload', async () => {
		const sink = await startUploadSink()
		const onProgress = () => {
			throw new RangeError('no bar')
		}
		await expect(connect(sink.url).uploads.send(path, { assetId, onProgress })).rejects.toThrow('no bar')
	})
})

describe('unreadable sources', () => {
	const pipe = async () => {
		const name = join(folder, 'pipe')
		await execa('mkfifo', [name])
		return name
	}
	test.each<[string, () => UploadSource | Promise<UploadSource>, number | undefined, string, string]>([
		['a folder', () => folder, undefined, 'TypeError', 'is not a regular file; pass a file, or a stream'],
		['a named pipe', pipe, undefined, 'TypeError', 'is not a regular file; pass a file, or a stream'],
		[
			'a missing file',
			() => join(folder, 'missing'),
			undefined,
			'UnreadableSourceError',
			"can't be read; check the path",
		],
		[
			'a stream without its size',
			() => toStream(),
			undefined,
			'TypeError',
			'the size of the stream is missing',
		],
		['a wrong size', () => path, 7, 'TypeError', `size is 7, but the file has ${SIZE} bytes; remove size`],
		[
			'a stream that ends early',
			() => toStream(bytes.subarray(0, 9)),
			10,
			'UnreadableSourceError',
			'the stream ended after 9 of 10 bytes; pass the exact size of the stream',
		],
		[
			'a stream that is too long',
			() => toStream(bytes.subarray(0, 11)),
			10,
			'UnreadableSourceError',
			'the stream has more than 10 bytes; pass the exact size of the stream',
		],
		[
			'a stream that fails',
			() => new ReadableStream({ pull: (controller) => controller.error(new Error('no disk')) }),
			10,
			'Error',
			'no disk',
		],
	])(
		'an upload of %s fails with a message that says what to do',
		async (_name, source, size, name, message) => {
			const sink = await startUploadSink()
			const sent = connect(sink.url).uploads.send(await source(), { assetId, ...(size && { size }) })
			await expect(sent).rejects.toMatchObject({ name, message: expect.stringContaining(message) })
			expect(sink.stored).toBe(0)
		},
	)

	test.each([
		['while a chunk is sent', (stored: number) => stored === 0],
		['between two chunks', (stored: number) => stored === MIB],
	])('a file that shrinks %s ends the upload without a retry', async (_name, isMoment) => {
		const shrinking = join(folder, 'shrinking.mp4')
		await writeFile(shrinking, bytes)
		const sink = await startUploadSink()
		const sent = connect(sink.url).uploads.send(shrinking, {
			assetId,
			wholeUpToBytes: 0,
			chunkBytes: MIB,
			onProgress({ stored }) {
				if (isMoment(stored)) truncateSync(shrinking, 100)
			},
		})
		await expect(sent).rejects.toMatchObject({
			name: 'UnreadableSourceError',
			message: `${shrinking} changed during the upload; upload the file again, without its state`,
		})
		expect(sink.requests).not.toContain('HEAD')
	})
})
