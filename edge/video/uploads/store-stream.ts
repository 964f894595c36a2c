import { AppError } from '../../http/errors.ts'
import type { Bucket, ObjectHead, UploadedPart } from '../../platform/storage/bucket.ts'
import { readBody } from './body-reader.ts'
import { PART_BYTES } from './part-bytes.ts'
import { PartPipeline } from './part-pipeline.ts'

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
	const tooLargeError = () => new AppError('too_large', `the body is larger than ${maxBytes} bytes`)
	if (lengthBytes !== null && lengthBytes > maxBytes) {
		await body?.cancel()
		throw tooLargeError()
	}
	if (!body) throw new AppError('malformed', 'the body is empty')
	const reader = readBody(body)
	const parts: UploadedPart[] = []
	const pipeline = new PartPipeline((part) => parts.push(part))
	let uploadId: string | undefined
	let total = 0
	try {
		for (let number = 1; ; number++) {
			const buffer = pipeline.nextBuffer(PART_BYTES)
			const { filled, end } = await reader.fill(buffer, 0, PART_BYTES)
			total += filled
			if (total > maxBytes) throw tooLargeError()
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
			await pipeline.settle()
			if (filled > 0) pipeline.start(bucket.uploadPart(key, id, number, part))
			if (!end) continue
			await pipeline.settle()
			return await bucket.completeMultipart(key, id, parts)
		}
	} catch (error) {
		await reader.cancel()
		await pipeline.settle().catch(() => undefined)
		if (uploadId !== undefined) await bucket.abortMultipart(key, uploadId)
		throw error
	}
}

const brokenOffError = () =>
	new AppError('malformed', 'the body is incomplete or does not match its Content-Length; send it again')
