import type { Bucket } from '../../../platform/storage/bucket.ts'
import { isDiskFull, StorageRefusal } from '../../../platform/storage/storage-errors.ts'
import { PART_BYTES } from '../part-bytes.ts'
import type { UploadLedger, UploadRecord } from './upload-ledger.ts'

/** The stored object; null if the bucket has lost it or it is incomplete. */
export type Assembled = { key: string; etag: string; sizeBytes: number } | 'disk-full' | null

/** Makes one object of the parts and the tail. After a crash the next call detects what was already done. */
export async function assembleSource(
	vault: Bucket,
	ledger: UploadLedger,
	record: UploadRecord,
): Promise<Assembled> {
	const { key, offset: sizeBytes } = record
	// Errors lose their class across RPC, so the refusal is returned.
	const etag = record.etag ?? (await put(vault, ledger, record).catch(refusalOf))
	if (etag === null || etag === 'disk-full') return etag
	if (record.etag === null) ledger.recordStored(record, etag)
	return { key, etag, sizeBytes }
}

async function put(vault: Bucket, ledger: UploadLedger, record: UploadRecord): Promise<string | null> {
	const { key, multipartId, contentType, offset } = record
	const tail = new Uint8Array(offset % PART_BYTES)
	ledger.copyTail(tail)
	if (!multipartId || offset < PART_BYTES) return (await vault.put(key, tail, { contentType }))?.etag ?? null
	const parts = ledger.parts()
	try {
		if (tail.byteLength > 0) parts.push(await vault.uploadPart(key, multipartId, parts.length + 1, tail))
		return (await vault.completeMultipart(key, multipartId, parts)).etag
	} catch (error) {
		if (!isGone(error)) throw error
		// Either an earlier call completed it and crashed before recording that, or the bucket dropped it after a week.
		const object = await vault.head(key)
		return object?.sizeBytes === offset ? object.etag : null
	}
}

/** Deletes all parts from the bucket. */
export async function discardUpload(vault: Bucket, { key, multipartId, etag }: UploadRecord): Promise<void> {
	if (!multipartId || etag !== null) return
	try {
		await vault.abortMultipart(key, multipartId)
	} catch (error) {
		if (!isGone(error)) throw error
	}
}

function refusalOf(error: unknown): 'disk-full' {
	if (isDiskFull(error)) return 'disk-full'
	throw error
}

const isGone = (error: unknown) => error instanceof StorageRefusal && error.reason === 'no-such-upload'
