import { requireStorage } from '../../../accounts/orgs/storage.ts'
import type { Deps } from '../../../platform/deps.ts'
import { getAsset, sourceExistsError } from '../../assets/assets.ts'
import { canMove } from '../../assets/states.ts'
import { directKey, isDirectKey } from '../source-keys.ts'
import { finishUpload } from '../tus/finish.ts'
import type { UploadRecord } from '../tus/upload-ledger.ts'
import { UPLOAD_MS } from '../tus/upload-stub.ts'
import type { ContentRange } from './content-range.ts'
import { isComplete, sendChunk } from './progress.ts'

const UPLOAD_ID = 'direct'

/** Receives a chunk of the source. The last byte moves the asset to `uploaded`. Returns the upload; null if none began. */
export async function receiveDirectChunk(
	deps: Deps,
	orgId: string,
	assetId: string,
	range: ContentRange,
	request: Request,
): Promise<UploadRecord | null> {
	const asset = await getAsset(deps, orgId, assetId)
	const isAwaited = canMove('receiveSource', asset.status)
	if (isAwaited) await requireStorage(deps, orgId, range.totalBytes ?? 1)
	// The response to the last chunk may have been lost, so the sender may ask again.
	else if (!isDirectKey(assetId, asset.sourceKey ?? '')) throw sourceExistsError()
	const contentType = request.headers.get('content-type') || 'application/octet-stream'
	const expiresAt = deps.now + UPLOAD_MS
	const begin = isAwaited ? { key: directKey(assetId), contentType, expiresAt } : null
	const record = await sendChunk(deps, { assetId, id: UPLOAD_ID, begin }, range, request.body)
	if (isComplete(record)) return finishUpload(deps, { orgId, assetId }, record)
	if (!isAwaited) throw sourceExistsError()
	return record
}
