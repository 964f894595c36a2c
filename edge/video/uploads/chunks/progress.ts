import { AppError, diskFullError } from '../../../http/errors.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { UploadRecord } from '../tus/upload-ledger.ts'
import type { ChunkAppended } from '../tus/upload-object.ts'
import { appendChunkTo, requireUpload } from '../tus/upload-stub.ts'
import type { Chunk } from './append-chunk.ts'
import type { ContentRange } from './content-range.ts'

type Target = Pick<Chunk, 'id' | 'begin'> & { assetId: string }

/** Stores a chunk, or only reads the stored range. Returns the upload; null if there is none of this file. */
export async function sendChunk(
	{ env, now }: Pick<Deps, 'env' | 'now'>,
	{ assetId, id, begin }: Target,
	{ start, bytes, totalBytes }: ContentRange,
	body: ReadableStream | null,
): Promise<UploadRecord | null> {
	const upload = requireUpload(env, assetId)
	if (bytes === 0 || totalBytes === null) {
		const record = await upload.inspect(id, now)
		return totalBytes === null || record?.lengthBytes === totalBytes ? record : null
	}
	const first = start === 0 ? begin : null
	const appended = await appendChunkTo(upload, { id, start, bytes, totalBytes, begin: first, now }, body)
	if (appended.refused) throw refusedChunkError(appended.refused)
	return appended.record
}

function refusedChunkError(reason: NonNullable<ChunkAppended['refused']>): AppError {
	if (reason === 'disk-full') return diskFullError()
	if (reason === 'other-upload')
		return new AppError(
			'conflict',
			'a TUS upload of this asset is in progress; continue it, or cancel it with DELETE at its URL',
		)
	if (reason === 'other-file')
		return new AppError('conflict', 'another file is being uploaded; start with the first byte of yours')
	return new AppError(
		'conflict',
		`the chunk can't be compared with the stored bytes; request the stored range with "bytes */…" and continue there`,
	)
}

export const isComplete = (record: UploadRecord | null): record is UploadRecord & { lengthBytes: number } =>
	record !== null && record.offset === record.lengthBytes

/**
 * The response to a part of a file, as in Google's protocol for resumable uploads. Clients take a 308 without `Range` for a
 * stored chunk, so a chunk of which nothing is stored is an error.
 */
export function answerIncomplete(record: UploadRecord | null, { start, bytes }: ContentRange): Response {
	if (bytes > 0 && !record?.offset) {
		if (start === 0) throw new AppError('unavailable', 'the chunk was not stored; send it again')
		throw new AppError('conflict', 'no bytes of this file are stored; start with its first byte')
	}
	const range = record && record.offset > 0 ? { range: `bytes=0-${record.offset - 1}` } : {}
	return new Response(null, { status: 308, headers: range })
}
