import { expect, test } from 'vitest'
import { bodyChunks } from '../../../../edge/http/body/body-chunks.ts'
import { readBytes } from '../../../../edge/http/body/bytes-body.ts'
import { readJson } from '../../../../edge/http/body/json-body.ts'
import { readBody } from '../../../../edge/uploads/body-reader.ts'

const post = (body: BodyInit, headers: Record<string, string> = {}) =>
	new Request('https://edge.test/', { method: 'POST', body, headers })
const bytes = (length: number) => new Uint8Array(length).fill(0x20)

/** Sends what it is given, then nothing more, and never ends. */
function stuck(...chunks: Uint8Array[]) {
	const seen = { cancelled: false }
	const body = new ReadableStream({
		type: 'bytes',
		start(controller) {
			for (const chunk of chunks) controller.enqueue(chunk)
		},
		cancel() {
			seen.cancelled = true
		},
	})
	return { body, seen }
}

async function sizeOf(chunks: AsyncIterable<Uint8Array>): Promise<number> {
	let size = 0
	for await (const chunk of chunks) size += chunk.byteLength
	return size
}

test('does not wait for a body that stopped coming, at its beginning or later', async () => {
	for (const { body, seen } of [stuck(), stuck(bytes(3), bytes(5))]) {
		const pace = { graceMs: 20, bytesPerSecond: 1e9 }
		await expect(sizeOf(bodyChunks(post(body), 100, pace))).rejects.toMatchObject({ code: 'request_timeout' })
		expect(seen.cancelled).toBe(true)
	}
})

test('gives a body the time that its bytes take at the slowest pace', async () => {
	let sent = 0
	const body = new ReadableStream({
		pull(controller) {
			if (sent++ === 20) controller.close()
			else controller.enqueue(bytes(10))
		},
	})
	expect(await sizeOf(bodyChunks(post(body), 1_000, { graceMs: 60_000, bytesPerSecond: 1 }))).toBe(200)
})

test('refuses a body that is packed, without reading it, so that nothing grows by being unpacked', async () => {
	for (const encoding of ['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip']) {
		const { body, seen } = stuck(bytes(3))
		const headers = { 'content-encoding': encoding, 'content-type': 'application/json' }
		const request = post(body, headers)
		await expect(readJson(request)).rejects.toMatchObject({ code: 'unsupported_media_type' })
		expect(seen.cancelled).toBe(true)
		await expect(readBytes(post('x', headers), 10)).rejects.toMatchObject({ code: 'unsupported_media_type' })
	}
	const plain = { 'content-encoding': 'identity', 'content-type': 'application/json' }
	expect(await readJson(post('{}', plain))).toEqual({})
})

test('refuses a body that is longer than it said, while it streams', async () => {
	let pulled = 0
	const endless = new ReadableStream({
		pull(controller) {
			pulled++
			controller.enqueue(bytes(1_000))
		},
	})
	await expect(readBytes(post(endless), 10_000)).rejects.toMatchObject({ code: 'too_large' })
	expect(pulled).toBeLessThan(20)
})

test('does not hold the buffers of an upload whose sender fell silent', async () => {
	const { body } = stuck(bytes(3))
	const reader = readBody(body, undefined, 20)
	expect(await reader.fill(new Uint8Array(10), 0, 10)).toEqual({ filled: 3, end: 'broken' })
})
