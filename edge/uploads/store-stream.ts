import { AppError } from '../http/errors.ts'
import type { Bucket, ObjectHead, UploadedPart } from '../platform/object-storage.ts'
import { readBody } from './body-reader.ts'
import { PART_BYTES } from './part-bytes.ts'

type Incoming = {
	body: ReadableStream | null
	/** What the sender said; null if it did not. */
	lengthBytes: number | null
	contentType: string
	maxBytes: number
}

/**
 * Writes a body of any length to the store as it streams: one buffer fills while the other is on its way. What cannot be
 * finished leaves nothing behind.
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
	let onItsWay: Promise<unknown> = Promise.resolve()
	let total = 0
	try {
		for (let turn = 0; ; turn++) {
			const buffer = buffers[turn % 2] ?? new Uint8Array(PART_BYTES)
			buffers[turn % 2] = buffer
			const { filled, end } = await reader.fill(buffer, 0, PART_BYTES)
			total += filled
			if (total > maxBytes) throw tooLarge()
			if (end === 'broken' || (end && lengthBytes !== null && total !== lengthBytes)) throw brokenOff()
			if (total === 0) throw new AppError('malformed', 'the body is empty')
			const part = buffer.subarray(0, filled)
			if (end && uploadId === undefined) {
				const object = await bucket.put(key, part, { contentType })
				if (!object) throw new Error('an unconditional put was refused')
				return object
			}
			const id = uploadId ?? (await bucket.createMultipart(key, { contentType })).uploadId
			uploadId = id
			await onItsWay
			if (filled > 0)
				onItsWay = bucket.uploadPart(key, id, turn + 1, part).then((uploaded) => parts.push(uploaded))
			// Looked at when the other buffer is full; until then nobody would hear of a failure.
			onItsWay.catch(() => undefined)
			if (!end) continue
			await onItsWay
			return await bucket.completeMultipart(key, id, parts)
		}
	} catch (error) {
		await reader.cancel()
		await onItsWay.catch(() => undefined)
		if (uploadId !== undefined) await bucket.abortMultipart(key, uploadId)
		throw error
	}
}

const brokenOff = () => new AppError('malformed', 'the body broke off')
