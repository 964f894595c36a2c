import { AppError } from '../http/errors.ts'
import type { Bucket, ObjectHead, UploadedPart } from '../platform/object-storage.ts'

/** All parts but the last must have one size, at least 5 MiB; one part is what an upload holds in memory. */
const PART_BYTES = 8 * 1024 ** 2

type Incoming = {
	body: ReadableStream | null
	/** What the sender said; null if it did not. */
	lengthBytes: number | null
	contentType: string
	maxBytes: number
}

/** Writes a body of any length to the store as it streams. What cannot be finished leaves nothing behind. */
export async function storeStream(bucket: Bucket, key: string, incoming: Incoming): Promise<ObjectHead> {
	const { body, lengthBytes, contentType, maxBytes } = incoming
	const tooLarge = () => new AppError('too_large', `the body is larger than ${maxBytes} bytes`)
	if (lengthBytes !== null && lengthBytes > maxBytes) {
		await body?.cancel()
		throw tooLarge()
	}
	if (!body) throw new AppError('malformed', 'the body is empty')
	const reader = readParts(body)
	let uploadId: string | undefined
	let total = 0
	const parts: UploadedPart[] = []
	try {
		for (;;) {
			const { part, isLast } = await reader.next()
			total += part.byteLength
			if (total > maxBytes) throw tooLarge()
			if (isLast) {
				if (total === 0) throw new AppError('malformed', 'the body is empty')
				if (lengthBytes !== null && total !== lengthBytes) throw brokenOff()
			}
			if (isLast && uploadId === undefined) {
				const object = await bucket.put(key, part, { contentType })
				if (!object) throw new Error('an unconditional put was refused')
				return object
			}
			uploadId ??= (await bucket.createMultipart(key, { contentType })).uploadId
			if (part.byteLength > 0) parts.push(await bucket.uploadPart(key, uploadId, parts.length + 1, part))
			if (isLast) return await bucket.completeMultipart(key, uploadId, parts)
		}
	} catch (error) {
		await reader.cancel()
		if (uploadId !== undefined) await bucket.abortMultipart(key, uploadId)
		throw error
	}
}

const brokenOff = (cause?: unknown) => new AppError('malformed', 'the body broke off', { cause })

/** One buffer, filled again and again: each part must have been written before the next is asked for. */
function readParts(body: ReadableStream) {
	const reader = body.getReader({ mode: 'byob' })
	let buffer = new ArrayBuffer(PART_BYTES)
	return {
		async next(): Promise<{ part: Uint8Array; isLast: boolean }> {
			let filled = 0
			while (filled < PART_BYTES) {
				const { value, done } = await reader
					.read(new Uint8Array(buffer, filled, PART_BYTES - filled))
					.catch((error: unknown) => {
						throw brokenOff(error)
					})
				if (value) {
					// Reading takes the buffer away and gives it back with what it holds.
					buffer = value.buffer as ArrayBuffer
					filled += value.byteLength
				}
				if (done) return { part: new Uint8Array(buffer, 0, filled), isLast: true }
			}
			return { part: new Uint8Array(buffer, 0, filled), isLast: false }
		},
		/** The rest is not wanted. A body that broke off cannot be cancelled any more, which is as good. */
		cancel: () => reader.cancel().catch(() => undefined),
	}
}
