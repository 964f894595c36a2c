import type { Bucket, UploadedPart } from '../../platform/object-storage.ts'
import { type BodyEnd, readBody } from '../body-reader.ts'
import { PART_BYTES } from '../part-bytes.ts'
import { type Checksum, startDigest } from './checksum.ts'
import type { UploadLedger, UploadRecord } from './upload-ledger.ts'

/** How receiving ended; of an `overrun` there was more than the upload has room for. */
export type Received = {
	record: UploadRecord
	end: BodyEnd | 'overrun' | 'checksum-mismatch'
}

type Incoming = {
	vault: Bucket
	ledger: UploadLedger
	record: UploadRecord
	body: ReadableStream | null
	/** What it brings; null if its sender did not say. */
	bodyBytes: number | null
	/** The most it may bring. */
	room: number
	checksum: Checksum | null
	signal: AbortSignal
}

/**
 * Takes in a body of any length with two buffers: one fills while the other is on its way to the bucket. The offset
 * moves when bytes are where no restart can lose them. With a checksum it moves once, at the end: parts that the ledger
 * does not know are written over by what comes next, and no completion names them.
 */
export async function receive({
	vault,
	ledger,
	record,
	body,
	bodyBytes,
	room: most,
	checksum,
	signal,
}: Incoming): Promise<Received> {
	const reader = readBody(body, signal)
	const digest = checksum && startDigest(checksum)
	const buffers: Uint8Array[] = []
	const unproven: UploadedPart[] = []
	const room = Math.min(most, bodyBytes ?? most)
	let kept = record.offset % PART_BYTES
	let number = Math.floor(record.offset / PART_BYTES) + 1
	let received = 0
	let onItsWay: Promise<UploadedPart> | undefined

	async function arrive(): Promise<void> {
		if (!onItsWay) return
		const part = await onItsWay
		onItsWay = undefined
		if (digest) unproven.push(part)
		else record = ledger.addParts(record, [part])
	}

	try {
		for (let turn = 0; ; turn++) {
			const stop = Math.min(PART_BYTES, kept + room - received)
			// Two, by turns; one that is smaller than a part is the last.
			const buffer = buffers[turn % 2] ?? new Uint8Array(stop)
			buffers[turn % 2] = buffer
			const { filled, end } = await reader.fill(buffer, kept, stop, digest?.add)
			received += filled - kept
			await arrive()
			if (filled === PART_BYTES) {
				if (kept > 0) ledger.copyTail(buffer)
				if (!record.multipartId) {
					const { uploadId } = await vault.createMultipart(record.key, { contentType: record.contentType })
					record = ledger.change(record, { multipartId: uploadId })
				}
				onItsWay = vault.uploadPart(record.key, record.multipartId as string, number++, buffer)
				// Looked at when the next buffer is full; until then nobody would hear of a failure.
				onItsWay.catch(() => undefined)
				kept = 0
				if (!end && received < room) continue
			}
			let ended = end ?? (await reader.finish())
			// On its way through the Worker a body that broke off may look like one that is over.
			if (ended === 'whole' && bodyBytes !== null && received < bodyBytes) ended = 'broken'
			await arrive()
			if (ended === null) return { record, end: 'overrun' }
			const tail = filled === PART_BYTES ? new Uint8Array() : buffer.subarray(kept, filled)
			if (!digest) return { record: ledger.addTail(record, tail), end: ended }
			// What cannot be checked was not received.
			if (ended !== 'whole') return { record, end: ended }
			if (!(await digest.matches())) return { record, end: 'checksum-mismatch' }
			return { record: ledger.addAll(record, unproven, tail), end: ended }
		}
	} finally {
		await reader.cancel()
		await digest?.drop()
	}
}
