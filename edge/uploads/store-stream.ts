import { AppError } from '../http/errors.ts'
import type { Bucket, ObjectHead, UploadedPart } from '../platform/storage/bucket.ts'
import { readBody } from './body-reader.ts'
import { PART_BYTES } from './part-bytes.ts'

type Incoming = {
	body: ReadableStream | null
	/** The declared length; null if the sender declared none. */
	lengthBytes: number | null
	contentType: string
	maxBytes: number
}

/**
 * Streams a body of any length to the bucket: one buffer fills while the other is uploaded. An upload that fails leaves
 * nothing behind.
 */
export async function storeStream(bucket: Bucket, key: string, incoming: Incoming): Promise<ObjectHead> {
	const { body, lengthBytes, contentType, maxBytes } = incoming
	const tooLarge = () => new AppError('too_large', `the body is larger than ${maxBytes} bytes`)
	if (lengthBytes !== null && lengthBytes > maxBytes) {
		await body?.cancel()
		throw tooLarge()
	}
	if (!body) throw new AppError('malformed', 'the body is empty')
	const reader = readBody(body)
	const buffers: Uint8Array[] = []
	const parts: UploadedPart[] = []
	let uploadId: string | undefined
	let pendingPart: Promise<unknown> = Promise.resolve()
	let total = 0
	try {
		for (let turn = 0; ; turn++) {
			const buffer = buffers[turn % 2] ?? new Uint8Array(PART_BYTES)
			buffers[turn % 2] = buffer
			const { filled, end } = await reader.fill(buffer, 0, PART_BYTES)
			total += filled
			if (total > maxBytes) throw tooLarge()
			if (end === 'broken' || (end && lengthBytes !== null && total !== lengthBytes)) throw brokenOffError()
			if (total === 0) throw new AppError('malformed', 'the body is empty')
			const part = buffer.subarray(0, filled)
			if (end && uploadId === undefined) {
				const object = await bucket.put(key, part, { contentType })
				if (!object) throw new Error('an unconditional put returned no object')
				return object
			}
			const id = uploadId ?? (await bucket.createMultipart(key, { contentType })).uploadId
			uploadId = id
			await pendingPart
			if (filled > 0)
				pendingPart = bucket.uploadPart(key, id, turn + 1, part).then((uploaded) => parts.push(uploaded))
			// A failure is handled when the other buffer is full; until then it must not count as unhandled.
			pendingPart.catch(() => undefined)
			if (!end) continue
			await pendingPart
			return await bucket.completeMultipart(key, id, parts)
		}
	} catch (error) {
		await reader.cancel()
		await pendingPart.catch(() => undefined)
		if (uploadId !== undefined) await bucket.abortMultipart(key, uploadId)
		throw error
	}
}

const brokenOffError = () =>
	new AppError('malformed', 'the body ended before its declared length; send it again')
