import { MAX_DIRECT_BYTES } from '#schema/contract/uploads.ts'
import { announceSource, getAsset, hasSource, receiveAddress, receiveAnnounced } from '../assets/assets.ts'
import { canMove } from '../assets/states.ts'
import { sourcePrefix } from '../assets/storage-keys.ts'
import type { AssetRow } from '../assets/store.ts'
import { AppError } from '../http/errors.ts'
import { requireRoom } from '../orgs/storage.ts'
import { withdrawObject } from '../platform/announced-objects.ts'
import { DAY, HOUR, MINUTE } from '../platform/clock.ts'
import type { Deps } from '../platform/deps.ts'
import { randomBase62 } from '../platform/ids.ts'
import { outboundUrlProblem } from '../platform/outbound-url.ts'
import { uploadToken } from '../platform/tokens.ts'
import { storeStream } from './store-stream.ts'

const URL_SECONDS = HOUR / 1000
const TOKEN_MS = 15 * MINUTE
/** No single request lasts as long. */
const DIRECT_MS = DAY
/** For a PUT that began at the last moment, and for the one who comes back to complete it. */
const PRESIGNED_MS = HOUR + DAY

/** Each way in has a key of its own, so that none can overwrite what another was finished with. */
const presignedKey = (assetId: string) => `${sourcePrefix(assetId)}source`
const resumableKey = (assetId: string) => `${sourcePrefix(assetId)}resumable`
const directKey = (assetId: string) => `${sourcePrefix(assetId)}direct-${randomBase62(16)}`

/** `sizeBytes` is how large the source is at least. */
async function awaitingSource(deps: Deps, orgId: string, assetId: string, sizeBytes = 1): Promise<AssetRow> {
	const asset = await getAsset(deps, orgId, assetId)
	if (!canMove('receiveSource', asset.status)) throw hasSource()
	await requireRoom(deps, orgId, sizeBytes)
	return asset
}

export async function createUploadUrl(deps: Deps, orgId: string, assetId: string, writeOnce: boolean) {
	const asset = await awaitingSource(deps, orgId, assetId)
	const sourceKey = presignedKey(assetId)
	const { url, headers, expiresAt } = await deps.objects.presign({
		bucket: 'vault',
		key: sourceKey,
		method: 'PUT',
		expiresSeconds: URL_SECONDS,
		writeOnce,
	})
	await announceSource(deps, asset, sourceKey, deps.now + PRESIGNED_MS)
	return { uploadUrl: url, sourceKey, headers, expiresAt }
}

export async function createUploadToken(deps: Deps, orgId: string, assetId: string, fileSize: number) {
	const { tokens, now } = deps
	if (!tokens) throw new AppError('not_configured', 'upload tokens are not set up: AUTH_SECRET is missing')
	await awaitingSource(deps, orgId, assetId, fileSize)
	const sourceKey = resumableKey(assetId)
	const claims = { typ: 'upload', sub: sourceKey, org: orgId, asset: assetId, size: fileSize }
	return { token: await tokens.sign(uploadToken, claims, now, now + TOKEN_MS), sourceKey }
}

/** The body of one request becomes the source. If the asset got one meanwhile, or was deleted, nothing is left of it. */
export async function uploadSource(deps: Deps, orgId: string, assetId: string, request: Request) {
	const length = request.headers.get('content-length')
	const lengthBytes = length === null ? null : Number(length)
	const announced = Math.min(lengthBytes ?? 1, MAX_DIRECT_BYTES)
	const sourceKey = directKey(assetId)
	const begin = async () => {
		const asset = await awaitingSource(deps, orgId, assetId, announced)
		await announceSource(deps, asset, sourceKey, deps.now + DIRECT_MS)
		return asset
	}
	const asset = await begin().catch(async (error: unknown) => {
		// Left unread, a body keeps the connection busy.
		await request.body?.cancel()
		throw error
	})
	try {
		const object = await storeStream(deps.objects.vault, sourceKey, {
			body: request.body,
			lengthBytes,
			contentType: request.headers.get('content-type') ?? 'application/octet-stream',
			maxBytes: MAX_DIRECT_BYTES,
		})
		const { etag: sourceEtag, sizeBytes: sourceSizeBytes } = object
		await receiveAnnounced(deps, asset, { sourceKey, sourceEtag, sourceSizeBytes })
	} catch (error) {
		await withdrawObject(deps, 'vault', sourceKey)
		throw error
	}
	return sourceKey
}

/**
 * What is there now is the source: its etag is kept, and whatever is written there later is not read. Where it is too
 * much for the tier it stays for a day, so that it need not be sent again when there is room.
 */
export async function completeUpload(deps: Deps, orgId: string, assetId: string): Promise<void> {
	const asset = await awaitingSource(deps, orgId, assetId)
	const sourceKey = presignedKey(assetId)
	const object = await deps.objects.vault.head(sourceKey)
	if (!object) throw new AppError('conflict', 'nothing was uploaded yet; PUT the file to uploadUrl first')
	if (object.sizeBytes === 0) throw new AppError('conflict', 'the uploaded file is empty; PUT it again')
	await receiveAnnounced(deps, asset, {
		sourceKey,
		sourceEtag: object.etag,
		sourceSizeBytes: object.sizeBytes,
	})
}

export async function importSource(
	deps: Deps,
	orgId: string,
	assetId: string,
	sourceUrl: string,
): Promise<void> {
	const problem = outboundUrlProblem(deps, sourceUrl)
	if (problem) throw new AppError('validation', `sourceUrl: ${problem}`)
	const asset = await awaitingSource(deps, orgId, assetId)
	const url = new URL(sourceUrl)
	// A fragment is the reader's business and is never sent.
	url.hash = ''
	await receiveAddress(deps, asset, url.href)
}
