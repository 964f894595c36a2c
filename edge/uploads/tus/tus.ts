import { MAX_RESUMABLE_BYTES } from '#schema/contract/uploads.ts'
import { hasSource, noAsset } from '../../assets/assets.ts'
import { canMove } from '../../assets/states.ts'
import type { Uploader } from '../../http/caller.ts'
import { AppError } from '../../http/errors.ts'
import { requireRoom } from '../../orgs/storage.ts'
import { DAY } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { randomBase62 } from '../../platform/ids.ts'
import { finishUpload } from './finish.ts'
import { readMetadata } from './metadata.ts'
import { appendTo, requireUpload } from './object-door.ts'
import type { UploadRecord } from './upload-ledger.ts'
import type { Append, Appended } from './upload-object.ts'

/** Long enough for 10 GB over a slow line, and well before the week after which R2 gives up parts by itself. */
const UPLOAD_MS = 3 * DAY

type Body = Pick<Append, 'bodyBytes' | 'checksum'> & { body: ReadableStream | null }

const noUpload = () => new AppError('not_found', 'no such upload')

export async function beginUpload(
	deps: Deps,
	uploader: Uploader,
	asked: { lengthBytes: number | null; isDeferred: boolean; metadata: string; first: Body | null },
): Promise<UploadRecord> {
	if (uploader.isExpired)
		throw new AppError('unauthorized', 'the token has expired; ask upload-token for another')
	const { lengthBytes, isDeferred, metadata, first } = asked
	if ((lengthBytes === null) !== isDeferred)
		throw new AppError('validation', 'send exactly one of Upload-Length and Upload-Defer-Length')
	const { contentType } = describeFile(metadata, uploader.sourceKey)
	const maxBytes = Math.min(uploader.maxBytes, MAX_RESUMABLE_BYTES)
	if ((lengthBytes ?? 0) > maxBytes) throw tooLarge(maxBytes)
	if (uploader.status === null) throw noAsset()
	if (!canMove('receiveSource', uploader.status)) throw hasSource()
	await requireRoom(deps, uploader.orgId, lengthBytes ?? 1)

	const upload = requireUpload(deps.env, uploader.assetId)
	const id = randomBase62(22)
	const record = await upload.begin({
		id,
		// Of its own for each upload, so that what one was finished with is never written over by another.
		key: `${uploader.sourceKey}-${id}`,
		contentType,
		metadata,
		lengthBytes,
		maxBytes,
		expiresAt: deps.now + UPLOAD_MS,
	})
	if (!first) return finishUpload(deps, uploader, record)
	try {
		return await append(deps, uploader, id, { offset: 0, lengthBytes: null, ...first })
	} catch (error) {
		// Its address is never told, so nobody could go on.
		await upload.end(id)
		throw error
	}
}

export async function inspectUpload(deps: Deps, uploader: Uploader, id: string): Promise<UploadRecord> {
	const upload = requireUpload(deps.env, uploader.assetId)
	if (uploader.status === null) {
		await upload.end(null)
		throw noUpload()
	}
	const record = await upload.inspect(id, deps.now)
	if (!record) throw noUpload()
	if (record.offset === record.lengthBytes) return finishUpload(deps, uploader, record)
	if (canMove('receiveSource', uploader.status)) return record
	await upload.end(id)
	throw new AppError('gone', 'the asset got its source in another way')
}

export async function appendUpload(
	deps: Deps,
	uploader: Uploader,
	id: string,
	bytes: Body & { offset: number; lengthBytes: number | null },
): Promise<UploadRecord> {
	if (uploader.status === null || !canMove('receiveSource', uploader.status))
		await inspectUpload(deps, uploader, id)
	return append(deps, uploader, id, bytes)
}

async function append(
	deps: Deps,
	uploader: Uploader,
	id: string,
	{ body, ...append }: Body & { offset: number; lengthBytes: number | null },
): Promise<UploadRecord> {
	const upload = requireUpload(deps.env, uploader.assetId)
	const appended = await appendTo(upload, { id, now: deps.now, ...append }, body)
	if (appended.refused) throw refusal(appended.refused)
	if (appended.end !== 'whole') throw incomplete(appended)
	return finishUpload(deps, uploader, appended.record)
}

export async function endUpload(deps: Deps, uploader: Uploader, id: string): Promise<void> {
	if (!(await requireUpload(deps.env, uploader.assetId).end(id))) throw noUpload()
}

function describeFile(metadata: string, sourceKey: string): { contentType: string } {
	const pairs = readMetadata(metadata)
	const filename = pairs.get('filename')
	if (!filename) throw new AppError('validation', 'Upload-Metadata: filename is missing')
	if (filename !== sourceKey)
		throw new AppError(
			'forbidden',
			'Upload-Metadata: filename must be the sourceKey that came with the token',
		)
	const contentType = pairs.get('filetype') || 'application/octet-stream'
	if (!/^[\w.+-]+\/[\w.+-]+(?: *;[\x20-\x7e]*)?$/.test(contentType) || contentType.length > 255)
		throw new AppError('validation', 'Upload-Metadata: filetype is no media type')
	return { contentType }
}

const tooLarge = (maxBytes: number) =>
	new AppError('too_large', `the upload is larger than the ${maxBytes} bytes that the token is for`)

function refusal(reason: Extract<Appended, { refused: string }>['refused']): AppError {
	if (reason === 'unknown') return noUpload()
	if (reason === 'other-offset')
		return new AppError('conflict', 'Upload-Offset is not how many bytes there are; ask with HEAD')
	if (reason === 'other-length')
		return new AppError('validation', 'Upload-Length: less than what is there, or not what was said before')
	return new AppError('too_large', 'more bytes than the upload has room for')
}

function incomplete({ end }: Extract<Appended, { refused: null }>): AppError {
	if (end === 'interrupted')
		return new AppError('locked', 'another request took this upload over; ask with HEAD how far it has come')
	if (end === 'checksum-mismatch')
		return new AppError('checksum_mismatch', 'the body is not what Upload-Checksum says; send it again')
	if (end === 'overrun') return refusal('too-large')
	return new AppError('malformed', 'the body broke off; ask with HEAD how far it has come')
}
