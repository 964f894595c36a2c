/** @module-tag d1 */
import { expect, test } from 'vitest'
import { readBodyChunks } from '../../../../edge/http/body/body-chunks.ts'
import { readBytes } from '../../../../edge/http/body/bytes-body.ts'
import { readJson } from '../../../../edge/http/body/json-body.ts'
import { readBody } from '../../../../edge/video/uploads/body-reader.ts'

const post = (body: BodyInit, headers: Record<string, string> = {}) =>
	new Request('https://edge.test/', { method: 'POST', body, headers })
const bytes = (length: number) => new Uint8Array(length).fill(0x20)

/** Returns a body that sends these chunks and then nothing, without ending. */
function stalledBody(...chunks: Uint8Array[]) {
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

test('a body that stalls at its start or later times out', async () => {
	for (const { body, seen } of [stalledBody(), stalledBody(bytes(3), bytes(5))]) {
		const pace = { graceMs: 20, bytesPerSecond: 1e9 }
		await expect(sizeOf(readBodyChunks(post(body), 100, pace))).rejects.toMatchObject({
			code: 'request_timeout',
		})
		expect(seen.cancelled).toBe(true)
	}
})

test('accepts a body that arrives at the slowest allowed pace', async () => {
	let sent = 0
	const body = new ReadableStream({
		pull(controller) {
			if (sent++ === 20) controller.close()
			else controller.enqueue(bytes(10))
		},
	})
	expect(await sizeOf(readBodyChunks(post(body), 1_000, { graceMs: 60_000, bytesPerSecond: 1 }))).toBe(200)
})

test('a body with a content-encoding is rejected unread, so that it can’t be inflated', async () => {
	for (const encoding of ['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip']) {
		const { body, seen } = stalledBody(bytes(3))
		const headers = { 'content-encoding': encoding, 'content-type': 'application/json' }
		const request = post(body, headers)
		await expect(readJson(request)).rejects.toMatchObject({ code: 'unsupported_media_type' })
		expect(seen.cancelled).toBe(true)
		await expect(readBytes(post('x', headers), 10)).rejects.toMatchObject({ code: 'unsupported_media_type' })
	}
	const plain = { 'content-encoding': 'identity', 'content-type': 'application/json' }
	expect(await readJson(post('{}', plain))).toEqual({})
})

test('rejects a body above the limit while it streams', async () => {
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

test('an upload whose sender stalls is no longer read, and reported as broken', async () => {
	const { body } = stalledBody(bytes(3))
	const reader = readBody(body, undefined, 20)
	expect(await reader.fill(new Uint8Array(10), 0, 10)).toEqual({ filled: 3, end: 'broken' })
})
