import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { signup } from '#schema/contract/accounts/identity.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import { createAsset, getAsset } from '#schema/contract/video/assets.ts'
import { createDirectUpload, getDirectUpload } from '#schema/contract/video/direct-uploads.ts'
import { createUploadToken } from '#schema/contract/video/uploads.ts'
import { bundleWorker } from '../../../../scripts/lib/runtime/bundle.ts'
import { type Runtime, startRuntime } from '../../../../scripts/lib/runtime/runtime.ts'
import { applyD1Migrations } from '../../../../scripts/start/d1-migrations.ts'
import { reservePort } from '../../../../scripts/start/port.ts'
import { testVariables } from '../../../support/shared/variables.ts'

const KIB = 1024
const MIB = 1024 ** 2

let directory: string
let runtime: Runtime
let free: number
let session: { token: string }
beforeAll(async () => {
	directory = await mkdtemp(join(tmpdir(), 'playhouse-full-disk-'))
	runtime = await startRuntime({
		host: '127.0.0.1',
		port: await reservePort('127.0.0.1', 0),
		bundle: await bundleWorker(),
		storage: directory,
		variables: testVariables,
		trustsProxy: false,
		onLog: () => {},
		freeBytes: async () => free,
	})
	await applyD1Migrations(runtime.control)
	runtime.admitRequests()
	free = 1_000 * MIB
	const body = { email: 'ada@example.org', password: 'correct horse battery', name: 'Ada' }
	session = { token: (await client().call(signup, { body })).data.token }
})
afterAll(async () => {
	await runtime?.stop()
	await rm(directory, { recursive: true, force: true })
})

let assetId: string
beforeEach(async () => {
	free = 1_000 * MIB
	// The dev proxy knows the free space for a second, perhaps still that of the previous test.
	await expect.poll(() => send('/v1/nowhere', 'PUT', Buffer.alloc(MIB))).toBe(404)
	assetId = (await client().call(createAsset, { body: { title: 'Film' } }, session)).data.id
})

const client = () => createClient({ baseUrl: runtime.url.origin, fetch })
const status = async () => (await client().call(getAsset, { params: { assetId } }, session)).data.status

/** The bytes of all objects, whole or in parts. */
async function storedBytes(): Promise<number> {
	const files = await readdir(directory, { recursive: true, withFileTypes: true })
	const blobs = files.filter((file) => file.isFile() && file.parentPath.endsWith('/blobs'))
	const sizes = await Promise.all(
		blobs.map(async (file) => (await stat(join(file.parentPath, file.name))).size),
	)
	return sizes.reduce((total, size) => total + size, 0)
}

/** A body of unknown length, during which other programs fill the disk. */
async function* fillingBody(mebibytes: number) {
	for (let sent = 0; sent < mebibytes; sent++) {
		yield Buffer.alloc(MIB)
		if (sent === 5) free = 60 * MIB
	}
}

/** Returns the status of the response, or null if the connection was closed before it was read. */
const send = (path: string, method: string, body: AsyncIterable<Buffer> | Buffer, headers = {}) =>
	fetch(new URL(path, runtime.url), {
		method,
		headers: { authorization: `Bearer ${session.token}`, ...headers },
		body,
		duplex: 'half',
	} as RequestInit).then(
		(response) => response.status,
		() => null,
	)

test('an upload of unknown length that would fill the disk gets 507 and leaves nothing', async () => {
	const path = `/v1/assets/${assetId}/upload`
	expect([507, null]).toContain(await send(path, 'PUT', fillingBody(30)))
	expect(await status()).toBe('created')
	await expect.poll(storedBytes).toBe(0)
	free = 1_000 * MIB
	await expect.poll(() => send(path, 'PUT', Buffer.alloc(MIB))).toBe(200)
	expect(await status()).toBe('uploaded')
})

/** Begins a TUS upload of the asset. Returns its path and the headers of its requests. */
async function beginTus(bytes: number) {
	const token = { params: { assetId }, body: { fileSize: bytes } }
	const upload = (await client().call(createUploadToken, token, session)).data
	const headers = { authorization: `Bearer ${upload.token}`, 'tus-resumable': '1.0.0' }
	const begun = await fetch(new URL('/upload/videos', runtime.url), {
		method: 'POST',
		headers: {
			...headers,
			'upload-length': String(bytes),
			'upload-metadata': `filename ${btoa(upload.sourceKey)}`,
		},
	})
	const { pathname } = new URL(begun.headers.get('location') ?? '', runtime.url)
	return { pathname, headers }
}

test('a resumable upload that would fill the disk gets 507, and continues when there is space', async () => {
	const { pathname, headers } = await beginTus(30 * MIB)
	const append = (offset: number, body: AsyncIterable<Buffer> | Buffer) =>
		send(pathname, 'PATCH', body, {
			...headers,
			'upload-offset': String(offset),
			'content-type': 'application/offset+octet-stream',
		})
	const offset = async () => {
		const response = await fetch(new URL(pathname, runtime.url), { method: 'HEAD', headers })
		return Number(response.headers.get('upload-offset'))
	}
	expect([507, null]).toContain(await append(0, fillingBody(30)))
	const stored = await offset()
	expect(stored).toBeLessThan(30 * MIB)
	free = 1_000 * MIB
	// The last part is written at the end.
	async function* rest() {
		yield Buffer.alloc(30 * MIB - stored - 2 * MIB)
		free = 60 * MIB
		yield Buffer.alloc(2 * MIB)
	}
	expect([507, null]).toContain(await append(stored, rest()))
	expect(await status()).toBe('created')
	free = 1_000 * MIB
	await expect
		.poll(async () => {
			const at = await offset()
			return append(at, Buffer.alloc(30 * MIB - at))
		})
		.toBe(204)
	expect(await status()).toBe('uploaded')
})

test('a complete resumable upload waits on a full disk, and becomes the source when there is space', async () => {
	// With 60 MiB free, the dev proxy still accepts bodies of up to 64 KiB, but no larger object is stored.
	const { pathname, headers } = await beginTus(96 * KIB)
	const append = (offset: number) =>
		send(pathname, 'PATCH', Buffer.alloc(48 * KIB), {
			...headers,
			'upload-offset': String(offset),
			'content-type': 'application/offset+octet-stream',
		})
	const head = () => fetch(new URL(pathname, runtime.url), { method: 'HEAD', headers })
	free = 60 * MIB
	expect([await append(0), await append(48 * KIB)]).toEqual([204, 507])
	expect((await head()).status).toBe(507)
	expect(await status()).toBe('created')
	free = 1_000 * MIB
	const finished = await head()
	expect([finished.status, finished.headers.get('upload-offset')]).toEqual([200, String(96 * KIB)])
	expect(await status()).toBe('uploaded')
})

const sendChunk = (start: number, end: number, total: number) =>
	send(`/v1/assets/${assetId}/upload`, 'PUT', Buffer.alloc(end - start), {
		'content-range': `bytes ${start}-${end - 1}/${total}`,
	})

test('an upload in chunks that would fill the disk gets 507, and continues when there is space', async () => {
	expect(await sendChunk(0, 6 * MIB, 12 * MIB)).toBe(308)
	free = 60 * MIB
	expect([507, null]).toContain(await sendChunk(6 * MIB, 12 * MIB, 12 * MIB))
	expect(await status()).toBe('created')
	free = 1_000 * MIB
	await expect.poll(() => sendChunk(6 * MIB, 12 * MIB, 12 * MIB)).toBe(200)
	expect(await status()).toBe('uploaded')
})

test('a complete upload in chunks waits on a full disk, and its last chunk finishes it when there is space', async () => {
	free = 60 * MIB
	expect(await sendChunk(0, 48 * KIB, 96 * KIB)).toBe(308)
	expect(await sendChunk(48 * KIB, 96 * KIB, 96 * KIB)).toBe(507)
	expect(await status()).toBe('created')
	free = 1_000 * MIB
	expect(await sendChunk(48 * KIB, 96 * KIB, 96 * KIB)).toBe(200)
	expect(await status()).toBe('uploaded')
})

test('a complete direct upload waits while the disk is full, and becomes an asset when space is free', async () => {
	const { call } = client()
	const body = { newAsset: { title: 'Direct' } }
	const { id, url } = (await call(createDirectUpload, { body }, session)).data
	const put = () => send(new URL(url).pathname, 'PUT', Buffer.alloc(MIB), { authorization: '' })
	const read = async () => (await call(getDirectUpload, { params: { uploadId: id } }, session)).data
	free = 60 * MIB
	expect(await put()).toBe(507)
	expect(await read()).toMatchObject({ status: 'waiting', assetId: null, endedAt: null })
	free = 1_000 * MIB
	await expect.poll(put).toBe(200)
	assetId = String((await read()).assetId)
	expect(await status()).toBe('uploaded')
})

test('an upload of unknown length whose sender breaks off does not count as complete', async () => {
	const { hostname, port } = runtime.url
	const before = await storedBytes()
	for (const breakOff of ['end', 'destroy'] as const) {
		const socket = connect(Number(port), hostname).on('error', () => {})
		socket.write(
			`PUT /v1/assets/${assetId}/upload HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${session.token}\r\nTransfer-Encoding: chunked\r\n\r\n`,
		)
		for (let sent = 0; sent < 12; sent++) socket.write(`${MIB.toString(16)}\r\n${'x'.repeat(MIB)}\r\n`)
		await expect.poll(storedBytes).toBeGreaterThan(before)
		socket[breakOff]()
		await expect.poll(storedBytes).toBe(before)
	}
	expect(await status()).toBe('created')
})
