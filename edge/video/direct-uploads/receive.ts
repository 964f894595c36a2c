import { requireStorage } from '../../accounts/orgs/storage.ts'
import { AppError } from '../../http/errors.ts'
import { readContentLength, readMediaType } from '../../http/headers.ts'
import { HOUR } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { deriveSuspension } from '../../platform/suspension.ts'
import { type ContentRange, readContentRange } from '../uploads/chunks/content-range.ts'
import { answerIncomplete, isComplete, sendChunk } from '../uploads/chunks/progress.ts'
import { directKey } from '../uploads/source-keys.ts'
import { completeUpload } from './complete.ts'
import { endedError, hashToken, UPLOAD_ID, uploadNotFoundError } from './direct-uploads.ts'
import { type DirectUploadRow, directUploadStore } from './store.ts'

/** Receives the file or a chunk of it. Returns the upload when the file is complete, else the response to a chunk. */
export async function receiveDirectly(
	deps: Deps,
	token: string,
	request: Request,
): Promise<DirectUploadRow | Response> {
	const upload = await admit(deps, token, request)
	const { assetId, expiresAt } = upload
	const range = readRange(request.headers)
	requireAllowedFile(upload, range, request.headers)
	const isWaiting = upload.status === 'waiting'
	if (isWaiting) await reserveStorage(deps, upload, range)
	const contentType = request.headers.get('content-type') || 'application/octet-stream'
	// Longer than the upload, so that a file which is complete in time can still become an asset.
	const begin = isWaiting ? { key: directKey(assetId), contentType, expiresAt: expiresAt + HOUR } : null
	const record = await sendChunk(deps, { assetId, id: UPLOAD_ID, begin }, range, request.body)
	// The upload of a deleted asset has ended.
	if (!record && !isWaiting) throw endedError()
	if (!isComplete(record)) return answerIncomplete(record, range)
	await completeUpload(deps, upload, record)
	return upload
}

/**
 * Counts the file as storage before its first byte arrives, so that many uploads at once can't store more than the tier
 * allows. The chunks after the first find their file counted.
 */
async function reserveStorage(
	deps: Deps,
	upload: DirectUploadRow,
	{ bytes, totalBytes }: ContentRange,
): Promise<void> {
	if (bytes === 0 || totalBytes === null || totalBytes <= (upload.announcedBytes ?? 0)) return
	const store = directUploadStore(deps.db)
	if (await store.announceSize(upload, totalBytes, deps.now)) return
	const current = await store.find(upload.orgId, upload.id)
	if (current?.status !== 'waiting') throw endedError()
	await requireStorage(deps, upload.orgId, totalBytes - (current.announcedBytes ?? 0))
	throw new AppError('unavailable', 'the chunk was not stored; send it again')
}

/** Checks that the upload exists, accepts this origin, and has not ended. */
async function admit(deps: Deps, token: string, request: Request): Promise<DirectUploadRow> {
	const found = await directUploadStore(deps.db).findByToken(await hashToken(token))
	if (!found) throw uploadNotFoundError()
	const { upload, org } = found
	const origin = request.headers.get('origin')
	if (origin !== null && origin !== upload.corsOrigin)
		throw new AppError(
			'forbidden',
			'the origin of this page is not the corsOrigin of the direct upload; create one for this origin',
		)
	if (deriveSuspension(org) !== 'none')
		throw new AppError('org_suspended', "this organization can't receive uploads now")
	if (upload.status === 'asset_created') return upload
	if (upload.status !== 'waiting' || upload.expiresAt <= deps.now) throw endedError()
	return upload
}

function readRange(headers: Headers): ContentRange {
	const length = readContentLength(headers)
	const range = readContentRange(headers, length)
	if (range) return range
	if (length === null || length === 0)
		throw new AppError('malformed', 'Content-Length: missing or 0; send the whole file or chunks of it')
	return { start: 0, bytes: length, totalBytes: length }
}

/** The declared size bounds the bytes that are received, so a larger file ends before its first byte is stored. */
function requireAllowedFile(
	{ maxBytes, contentTypes }: DirectUploadRow,
	{ totalBytes, bytes }: ContentRange,
	headers: Headers,
): void {
	if ((totalBytes ?? 0) > maxBytes)
		throw new AppError('too_large', `the file is larger than the ${maxBytes} bytes that this upload allows`)
	const sent = readMediaType(headers)
	const isAllowed = (type: string) =>
		type.endsWith('/*') ? sent.startsWith(type.slice(0, -1)) : sent === type
	if (bytes > 0 && contentTypes.length > 0 && !contentTypes.some(isAllowed))
		throw new AppError(
			'unsupported_media_type',
			`send the file with a Content-Type that this upload allows: ${contentTypes.join(', ')}`,
		)
}
