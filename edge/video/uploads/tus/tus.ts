import { MAX_RESUMABLE_BYTES } from '#schema/contract/video/uploads.ts'
import { requireStorage } from '../../../accounts/orgs/storage.ts'
import type { Uploader } from '../../../http/caller.ts'
import { AppError, diskFullError, notFoundError } from '../../../http/errors.ts'
import { randomBase62 } from '../../../platform/database/ids.ts'
import type { Deps } from '../../../platform/deps.ts'
import { assetNotFoundError, sourceExistsError } from '../../assets/assets.ts'
import { canMove } from '../../assets/states.ts'
import type { Append, Appended } from './append.ts'
import { finishUpload } from './finish.ts'
import { readMetadata } from './metadata.ts'
import type { UploadRecord } from './upload-ledger.ts'
import { appendTo, requireUpload, UPLOAD_MS, type UploadStub } from './upload-stub.ts'

type Body = Pick<Append, 'bodyBytes' | 'checksum'> & { body: ReadableStream | null }

const uploadNotFoundError = () => notFoundError('upload')

export async function beginUpload(
	deps: Deps,
	uploader: Uploader,
	request: { lengthBytes: number | null; isDeferred: boolean; metadata: string; first: Body | null },
): Promise<UploadRecord> {
	if (uploader.isExpired)
		throw new AppError('unauthorized', 'the token has expired; request a new one from upload-token')
	const { lengthBytes, isDeferred, metadata, first } = request
	if ((lengthBytes === null) !== isDeferred)
		throw new AppError('validation', 'send exactly one of Upload-Length and Upload-Defer-Length')
	const pairs = readMetadata(metadata)
	requireFilename(pairs, uploader.sourceKey)
	const contentType = readContentType(pairs)
	const maxBytes = Math.min(uploader.maxBytes, MAX_RESUMABLE_BYTES)
	if ((lengthBytes ?? 0) > maxBytes) throw tooLargeError(maxBytes)
	if (uploader.status === null) throw assetNotFoundError()
	if (!canMove('receiveSource', uploader.status)) throw sourceExistsError()
	await requireStorage(deps, uploader.orgId, lengthBytes ?? 1)

	const upload = requireUpload(deps.env, uploader.assetId)
	const id = randomBase62(22)
	const record = await upload.begin({
		id,
		// Each upload has its own key, so that no upload overwrites the result of another.
		key: `${uploader.sourceKey}-${id}`,
		contentType,
		metadata,
		lengthBytes,
		maxBytes,
		expiresAt: deps.now + UPLOAD_MS,
	})
	if (!first) return finishUpload(deps, uploader, record)
	try {
		return await append(deps, uploader, upload, id, { offset: 0, lengthBytes: null, ...first })
	} catch (error) {
		// The caller never learns the URL of this upload, so nobody could resume it.
		await upload.end(id)
		throw error
	}
}

export const inspectUpload = (deps: Deps, uploader: Uploader, id: string): Promise<UploadRecord> =>
	inspect(deps, uploader, requireUpload(deps.env, uploader.assetId), id)

async function inspect(
	deps: Deps,
	uploader: Uploader,
	upload: UploadStub,
	id: string,
): Promise<UploadRecord> {
	if (uploader.status === null) {
		await upload.end(null)
		throw uploadNotFoundError()
	}
	const record = await upload.inspect(id, deps.now)
	if (!record) throw uploadNotFoundError()
	if (record.offset === record.lengthBytes) return finishUpload(deps, uploader, record)
	if (canMove('receiveSource', uploader.status)) return record
	await upload.end(id)
	throw new AppError('gone', 'the asset already has another source')
}

export async function appendUpload(
	deps: Deps,
	uploader: Uploader,
	id: string,
	bytes: Body & { offset: number; lengthBytes: number | null },
): Promise<UploadRecord> {
	const upload = requireUpload(deps.env, uploader.assetId)
	if (uploader.status === null || !canMove('receiveSource', uploader.status))
		await inspect(deps, uploader, upload, id)
	return append(deps, uploader, upload, id, bytes)
}

async function append(
	deps: Deps,
	uploader: Uploader,
	upload: UploadStub,
	id: string,
	{ body, ...append }: Body & { offset: number; lengthBytes: number | null },
): Promise<UploadRecord> {
	const appended = await appendTo(upload, { id, now: deps.now, ...append }, body)
	if (appended.refused) throw toUploadError(appended.refused)
	if (appended.end !== 'whole') throw incompleteUploadError(appended)
	return finishUpload(deps, uploader, appended.record)
}

export async function endUpload(deps: Deps, uploader: Uploader, id: string): Promise<void> {
	if (!(await requireUpload(deps.env, uploader.assetId).end(id))) throw uploadNotFoundError()
}

function requireFilename(pairs: ReadonlyMap<string, string>, sourceKey: string): void {
	const filename = pairs.get('filename')
	if (!filename) throw new AppError('validation', 'Upload-Metadata: filename is missing')
	if (filename !== sourceKey)
		throw new AppError('forbidden', 'Upload-Metadata: filename must be the sourceKey returned with the token')
}

function readContentType(pairs: ReadonlyMap<string, string>): string {
	const contentType = pairs.get('filetype') || 'application/octet-stream'
	if (!/^[\w.+-]+\/[\w.+-]+(?: *;[\x20-\x7e]*)?$/.test(contentType) || contentType.length > 255)
		throw new AppError('validation', 'Upload-Metadata: filetype must be a media type')
	return contentType
}

const tooLargeError = (maxBytes: number) =>
	new AppError('too_large', `the upload is larger than the ${maxBytes} bytes that its token allows`)

function toUploadError(reason: Extract<Appended, { refused: string }>['refused']): AppError {
	if (reason === 'unknown') return uploadNotFoundError()
	if (reason === 'other-offset')
		return new AppError(
			'conflict',
			'Upload-Offset does not match the stored bytes; send HEAD for the current offset',
		)
	if (reason === 'other-length')
		return new AppError('validation', 'Upload-Length: must not change or be less than the stored bytes')
	if (reason === 'disk-full') return diskFullError()
	return new AppError('too_large', 'the body exceeds the length of the upload')
}

function incompleteUploadError({ end }: Extract<Appended, { refused: null }>): AppError {
	if (end === 'interrupted')
		return new AppError(
			'locked',
			'another request has taken over this upload; send HEAD for the current offset',
		)
	if (end === 'checksum-mismatch')
		return new AppError('checksum_mismatch', 'the body does not match Upload-Checksum; send it again')
	if (end === 'overrun') return toUploadError('too-large')
	return new AppError('malformed', 'the body is incomplete; send HEAD for the current offset')
}
