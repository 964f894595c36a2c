import type { Bucket } from '../../../platform/storage/bucket.ts'
import { readBody } from '../body-reader.ts'
import type { Checksum } from './checksum.ts'
import { type Received, receiveParts } from './receive.ts'
import type { UploadLedger, UploadRecord } from './upload-ledger.ts'

/** The parameters of an append, sent beside the body. */
export type Append = {
	id: string
	offset: number
	/** Declared length of the body; null if the sender declared none. */
	bodyBytes: number | null
	/** Length of the whole upload, if it was deferred and is now sent. */
	lengthBytes: number | null
	checksum: Checksum | null
	now: number
}

export type Appended =
	| { refused: 'unknown' | 'other-offset' | 'other-length' | 'too-large' | 'disk-full' }
	| ({ refused: null } & Received)

/** Appends the body of a request at the current offset. */
export async function appendToUpload(
	{ offset, lengthBytes, bodyBytes, checksum }: Append,
	current: UploadRecord | null,
	body: ReadableStream | null,
	{ vault, ledger, signal }: { vault: Bucket; ledger: UploadLedger; signal: AbortSignal },
): Promise<Appended> {
	let record = current
	if (!record) return { refused: 'unknown' }
	if (offset !== record.offset) return { refused: 'other-offset' }
	if (lengthBytes !== null && lengthBytes !== record.lengthBytes) {
		if (record.lengthBytes !== null || lengthBytes < record.offset) return { refused: 'other-length' }
		if (lengthBytes > record.maxBytes) return { refused: 'too-large' }
	}
	const room = (lengthBytes ?? record.lengthBytes ?? record.maxBytes) - record.offset
	if ((bodyBytes ?? 0) > room) return { refused: 'too-large' }
	if (lengthBytes !== null) record = ledger.change(record, { lengthBytes })
	const reader = readBody(body, signal)
	return {
		refused: null,
		...(await receiveParts({ vault, ledger, record, reader, bodyBytes, room, checksum })),
	}
}
