import { MAX_DIRECT_BYTES } from '#schema/contract/video/uploads.ts'
import { requireStorage } from '../../accounts/orgs/storage.ts'
import { cancelUnreadBody } from '../../http/body/unread-body.ts'
import type { OrgCaller } from '../../http/caller.ts'
import { AppError } from '../../http/errors.ts'
import { readContentLength } from '../../http/headers.ts'
import { requireTokens } from '../../http/require-secrets.ts'
import { DAY, HOUR, MINUTE } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { withdrawObject } from '../../platform/storage/announced-objects.ts'
import { uploadToken } from '../../platform/tokens/tokens.ts'
import {
	announceSource,
	getAsset,
	receiveAnnounced,
	receiveSourceUrl,
	sourceExistsError,
} from '../assets/assets.ts'
import { readSourceUrl } from '../assets/source-url.ts'
import { canMove } from '../assets/states.ts'
import type { AssetRow } from '../assets/store.ts'
import { completeChunks, dropChunks } from './chunks/presigned-chunks.ts'
import { type ExpectedFile, requireSameFile } from './expected-file.ts'
import { directKey, presignedKey, resumableKey } from './source-keys.ts'
import { storeStream } from './store-stream.ts'

const URL_SECONDS = HOUR / 1000
const TOKEN_MS = 15 * MINUTE
/** Longer than any single request. */
const DIRECT_MS = DAY
/** Time for a PUT that starts just before the URL expires, plus a day to complete the upload. */
const PRESIGNED_MS = HOUR + DAY

/** Returns an asset that can receive a source of at least `sizeBytes`. */
async function requireAwaitingSource(
	deps: Deps,
	orgId: string,
	assetId: string,
	sizeBytes = 1,
): Promise<AssetRow> {
	const asset = await getAsset(deps, orgId, assetId)
	if (!canMove('receiveSource', asset.status)) throw sourceExistsError()
	await requireStorage(deps, orgId, sizeBytes)
	return asset
}

export async function createUploadUrl(deps: Deps, orgId: string, assetId: string, writeOnce: boolean) {
	const asset = await requireAwaitingSource(deps, orgId, assetId)
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

/** The token is valid only while its requester is unlocked, a member, and their API key exists. */
export async function createUploadToken(deps: Deps, caller: OrgCaller, assetId: string, fileSize: number) {
	const { now } = deps
	const { id: orgId } = caller.org
	const by = caller.kind === 'key' ? { usr: caller.makerId, key: caller.keyId } : { usr: caller.userId }
	const tokens = requireTokens(deps, 'upload tokens')
	await requireAwaitingSource(deps, orgId, assetId, fileSize)
	const sourceKey = resumableKey(assetId)
	const claims = { typ: 'upload', sub: sourceKey, org: orgId, asset: assetId, size: fileSize, ...by }
	return { token: await tokens.sign(uploadToken, claims, now, now + TOKEN_MS), sourceKey }
}

/** Stores the body of one request as the source. If the asset got another one or was deleted, deletes the object. */
export async function uploadSource(deps: Deps, orgId: string, assetId: string, request: Request) {
	const lengthBytes = readContentLength(request.headers)
	const expectedBytes = Math.min(lengthBytes ?? 1, MAX_DIRECT_BYTES)
	const sourceKey = directKey(assetId)
	const announce = async () => {
		const asset = await requireAwaitingSource(deps, orgId, assetId, expectedBytes)
		await announceSource(deps, asset, sourceKey, deps.now + DIRECT_MS)
		return asset
	}
	const asset = await announce().catch(async (error: unknown) => {
		await cancelUnreadBody(request)
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
		return { sourceKey, sourceSizeBytes }
	} catch (error) {
		await withdrawObject(deps, 'vault', sourceKey)
		throw error
	}
}

/**
 * Makes the uploaded object the source, pinned to its etag, so later writes to the key are ignored. An object that
 * exceeds the tier is kept for a day, so that it need not be resent once there is room.
 */
export async function completeUpload(deps: Deps, orgId: string, assetId: string, expected: ExpectedFile) {
	const asset = await requireAwaitingSource(deps, orgId, assetId)
	const sourceKey = presignedKey(assetId)
	const { vault } = deps.objects
	let object = await vault.head(sourceKey)
	if (!object && (await completeChunks(deps, assetId))) object = await vault.head(sourceKey)
	if (!object) throw new AppError('conflict', 'no file has been uploaded; PUT it to uploadUrl first')
	if (object.sizeBytes === 0) throw new AppError('conflict', 'the uploaded file is empty; PUT it again')
	try {
		requireSameFile(object, expected)
	} catch (error) {
		if (error instanceof AppError && error.code === 'conflict') await dropChunks(deps, assetId)
		throw error
	}
	const { etag: sourceEtag, sizeBytes: sourceSizeBytes } = object
	await receiveAnnounced(deps, asset, { sourceKey, sourceEtag, sourceSizeBytes })
	return { sourceSizeBytes }
}

export async function importSource(
	deps: Deps,
	orgId: string,
	assetId: string,
	sourceUrl: string,
): Promise<void> {
	const url = readSourceUrl(deps, sourceUrl)
	const asset = await requireAwaitingSource(deps, orgId, assetId)
	await receiveSourceUrl(deps, asset, url)
}
