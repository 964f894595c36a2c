import type { Bucket } from '../../../platform/storage/bucket.ts'
import { sha256 } from '../../../platform/tokens/digest.ts'
import { readBody } from '../body-reader.ts'
import { receive } from '../tus/receive.ts'
import type { UploadLedger, UploadRecord } from '../tus/upload-ledger.ts'

/** The first bytes identify a file, so that a retry of its first chunk can be told from another file of the same size. */
const HEAD_BYTES = 64 * 1024

export type Chunk = {
	/** The id of the upload. */
	id: string
	start: number
	bytes: number
	totalBytes: number
	/** How to begin an upload with the first chunk; null if the sender may only continue one. */
	begin: Pick<UploadRecord, 'key' | 'contentType' | 'expiresAt'> | null
	now: number
}

export type NewFile = Pick<UploadRecord, 'key' | 'contentType' | 'expiresAt' | 'lengthBytes' | 'fingerprint'>

/**
 * Appends the bytes of a chunk that are not stored yet. A chunk that begins after the stored bytes changes nothing. Returns
 * the upload afterwards, or null if there is none of this file.
 */
export async function appendChunk(
	chunk: Chunk,
	current: UploadRecord | null,
	body: ReadableStream | null,
	{
		vault,
		ledger,
		signal,
		begin,
	}: {
		vault: Bucket
		ledger: UploadLedger
		signal: AbortSignal
		begin(file: NewFile): Promise<UploadRecord>
	},
): Promise<UploadRecord | null> {
	const { start, bytes, totalBytes } = chunk
	let record = current?.lengthBytes === totalBytes ? current : null
	const reader = readBody(body, signal)
	try {
		if (start === 0) {
			const head = await reader.peek(Math.min(HEAD_BYTES, bytes))
			if (!(await isSameFile(record, head))) {
				// A connection that broke at once tells nothing about the file.
				if (head.byteLength < Math.min(record?.fingerprint?.bytes ?? 1, bytes)) return record
				if (!chunk.begin) return null
				const digest = await sha256(head)
				const file = { lengthBytes: totalBytes, fingerprint: { bytes: head.byteLength, digest } }
				record = await begin({ ...chunk.begin, ...file })
			}
		}
		if (!record || start > record.offset) return record
		const storedBytes = Math.min(record.offset - start, bytes)
		// The sender of a repeated chunk finishes sending before it reads the response.
		await reader.skip(storedBytes)
		const room = bytes - storedBytes
		if (room === 0) return record
		return (await receive({ vault, ledger, record, reader, bodyBytes: room, room, checksum: null })).record
	} finally {
		await reader.cancel()
	}
}

async function isSameFile(record: UploadRecord | null, head: Uint8Array<ArrayBuffer>): Promise<boolean> {
	const known = record?.fingerprint
	if (!known || head.byteLength < known.bytes) return false
	return (await sha256(head.subarray(0, known.bytes))) === known.digest
}
