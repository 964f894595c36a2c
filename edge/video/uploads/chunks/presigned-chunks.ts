import { requireStorage } from '../../../accounts/orgs/storage.ts'
import { WHOLE_BODY_ADVICE } from '../../../http/body/partial-body.ts'
import { AppError, diskFullError } from '../../../http/errors.ts'
import { DAY } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { announceSource, getAssetByUrl } from '../../assets/assets.ts'
import { parsePresignedAssetId, presignedKey } from '../source-keys.ts'
import type { UploadRecord } from '../tus/upload-ledger.ts'
import { findUpload, requireUpload, UPLOAD_MS } from '../tus/upload-stub.ts'
import { type ContentRange, readContentRange } from './content-range.ts'
import { answerIncomplete, isComplete, sendChunk } from './progress.ts'

/** How long after its expiry a URL may continue an upload begun in time. */
export const CONTINUES_MS = UPLOAD_MS

const UPLOAD_ID = 'presigned'

type ChunkDeps = Pick<Deps, 'env' | 'now' | 'db'>

/**
 * Receives a chunk at the URL of a source. With the last byte, the object is stored under the key of the URL, as a PUT of
 * the whole file would.
 */
export async function receivePresignedChunk(
	deps: ChunkDeps,
	{ key, isExpired }: { key: string | null; isExpired: boolean },
	request: Request,
	bodyBytes: number | null,
): Promise<Response> {
	const assetId = key === null ? null : parsePresignedAssetId(key)
	const range = readContentRange(request.headers, bodyBytes)
	if (!range || key === null || assetId === null)
		throw new AppError('malformed', `this URL takes whole files only; ${WHOLE_BODY_ADVICE}`)
	const isFirst = range.start === 0 && range.bytes > 0
	if (isFirst && !isExpired) await prepare(deps, assetId, range)
	const contentType = request.headers.get('content-type') || 'application/octet-stream'
	const begin = isExpired ? null : { key, contentType, expiresAt: deps.now + UPLOAD_MS }
	const record = await sendChunk(deps, { assetId, id: UPLOAD_ID, begin }, range, request.body)
	if (isComplete(record)) {
		const etag = await assemble(deps, assetId, record)
		return new Response(null, { headers: { etag: `"${etag}"` } })
	}
	if (isExpired && !record) throw new AppError('forbidden', 'the URL has expired; request a new one')
	return answerIncomplete(record, range)
}

/** Rejects a file that the asset can't receive before its bytes are sent. */
async function prepare(deps: ChunkDeps, assetId: string, { totalBytes }: ContentRange): Promise<void> {
	const asset = await getAssetByUrl(deps, assetId)
	await requireStorage(deps, asset.orgId, totalBytes ?? 1)
	await announceSource(deps, asset, presignedKey(assetId), deps.now + UPLOAD_MS + DAY)
}

async function assemble({ env, now }: ChunkDeps, assetId: string, record: UploadRecord): Promise<string> {
	const stored = await requireUpload(env, assetId).assemble(record.id, now)
	if (stored === 'disk-full') throw diskFullError()
	if (!stored) throw new AppError('gone', 'the upload was cancelled; start a new one')
	return stored.etag
}

/** Drops an upload that contains another file, so that the file can be resent. */
export async function dropChunks({ env }: Pick<Deps, 'env'>, assetId: string): Promise<void> {
	await findUpload(env, assetId)?.end(UPLOAD_ID)
}

/**
 * Stores the object of a complete upload that has none, because the request with the last chunk crashed. Returns whether
 * there was one. Throws if the upload is incomplete.
 */
export async function completeChunks(deps: ChunkDeps, assetId: string): Promise<boolean> {
	const record = (await findUpload(deps.env, assetId)?.inspect(UPLOAD_ID, deps.now)) ?? null
	if (!record?.offset) return false
	if (!isComplete(record))
		throw new AppError(
			'conflict',
			`${record.offset} of ${record.lengthBytes} bytes are stored; PUT the rest to uploadUrl first`,
		)
	await assemble(deps, assetId, record)
	return true
}
