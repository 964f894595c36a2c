import type { Bucket, UploadedPart } from '../../../platform/storage/bucket.ts'
import type { BodyEnd, BodyReader } from '../body-reader.ts'
import { PART_BYTES } from '../part-bytes.ts'
import { PartPipeline } from '../part-pipeline.ts'
import { type Checksum, startDigest } from './checksum.ts'
import type { UploadLedger, UploadRecord } from './upload-ledger.ts'

/** How receiving ended; with `overrun`, the body was larger than the rest of the upload. */
export type Received = {
	record: UploadRecord
	end: BodyEnd | 'overrun' | 'checksum-mismatch'
}

type Incoming = {
	vault: Bucket
	ledger: UploadLedger
	record: UploadRecord
	reader: BodyReader
	/** The declared length; null if the sender declared none. */
	bodyBytes: number | null
	room: number
	checksum: Checksum | null
	/** Receives the bytes as they arrive, and their end before they count. */
	pieces?: { add(bytes: Uint8Array): Promise<void>; end(): Promise<void> }
}

/**
 * Receives a body of any length with two buffers: one fills while the other is uploaded to the bucket. The offset moves
 * once bytes are stored durably. With a checksum it moves once, at the end. Until then the ledger does not list the
 * uploaded parts, so later uploads overwrite them and no completion includes them.
 */
export async function receiveParts({
	vault,
	ledger,
	record,
	reader,
	bodyBytes,
	room: maxRoom,
	checksum,
	pieces,
}: Incoming): Promise<Received> {
	const digest = checksum && startDigest(checksum)
	const unverifiedParts: UploadedPart[] = []
	const room = Math.min(maxRoom, bodyBytes ?? maxRoom)
	let start = record.offset % PART_BYTES
	let number = Math.floor(record.offset / PART_BYTES) + 1
	let received = 0
	// Not recorded before the body ends: a body that is too long must not complete the upload.
	let isOverrun = false
	const pipeline = new PartPipeline((part) => {
		if (isOverrun) return
		if (digest) unverifiedParts.push(part)
		else record = ledger.addParts(record, [part])
	})

	try {
		for (;;) {
			const stop = Math.min(PART_BYTES, start + room - received)
			const buffer = pipeline.nextBuffer(stop)
			const { filled, end } = await reader.fill(buffer, start, stop, digest?.add ?? pieces?.add)
			received += filled - start
			await pipeline.settle()
			if (filled === PART_BYTES) {
				if (start > 0) ledger.copyTail(buffer)
				if (!record.multipartId) {
					const { uploadId } = await vault.createMultipart(record.key, { contentType: record.contentType })
					record = ledger.change(record, { multipartId: uploadId })
				}
				pipeline.start(vault.uploadPart(record.key, record.multipartId as string, number++, buffer))
				start = 0
				if (!end && received < room) continue
			}
			let ended = end ?? (await reader.finish())
			// A body that broke off may look complete after passing through the Worker.
			if (ended === 'whole' && bodyBytes !== null && received < bodyBytes) ended = 'broken'
			isOverrun = ended === null
			await pipeline.settle()
			if (ended === null) return { record, end: 'overrun' }
			const tail = filled === PART_BYTES ? new Uint8Array() : buffer.subarray(start, filled)
			await pieces?.end()
			if (!digest) return { record: ledger.addTail(record, tail), end: ended }
			// Bytes whose checksum can't be verified are discarded.
			if (ended !== 'whole') return { record, end: ended }
			if (!(await digest.matches())) return { record, end: 'checksum-mismatch' }
			return { record: ledger.addAll(record, unverifiedParts, tail), end: ended }
		}
	} finally {
		await reader.cancel()
		await digest?.drop()
	}
}
