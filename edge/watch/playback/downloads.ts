import { AppError, notFoundError } from '../../http/errors.ts'
import { MINUTE, SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { formatAttachmentHeader } from '../../platform/network/header-values.ts'
import { getAsset } from '../../video/assets/assets.ts'
import { getPlayable, type Viewer } from '../../video/assets/playable/viewer.ts'
import type { AssetRow } from '../../video/assets/store.ts'
import { renditionStore } from '../../video/transcoding/store/rendition-store.ts'
import { toFileName } from './file-name.ts'
import { detectFileType } from './file-type.ts'

/** Short, because a presigned URL works until it expires, even if the asset changes. */
const URL_SECONDS = (15 * MINUTE) / SECOND
/** Enough to detect the container format. */
const HEAD_BYTES = 512

/** An object of the vault; an etag pins its version. */
type StoredFile = { key: string; etag: string | null }
type Downloadable = Pick<AssetRow, 'id' | 'title' | 'sourceKey' | 'sourceEtag' | 'downloadKey'>

async function findDownload(
	deps: Deps,
	asset: Downloadable,
	quality: string | undefined,
): Promise<StoredFile | null> {
	const source = asset.sourceKey === null ? null : { key: asset.sourceKey, etag: asset.sourceEtag }
	const best = storedFile(asset.downloadKey)
	if (quality === undefined) return source ?? best
	if (quality === 'source') return source
	return quality === 'best' ? best : storedFile(await renditionStore(deps.db).findDownload(asset.id, quality))
}

const storedFile = (key: string | null): StoredFile | null => (key === null ? null : { key, etag: null })

export async function downloadAsset(deps: Deps, orgId: string, assetId: string, quality: string | undefined) {
	const asset = await getAsset(deps, orgId, assetId)
	return presignDownload(deps, asset.title, await findDownload(deps, asset, quality))
}

export async function downloadAudio(deps: Deps, orgId: string, assetId: string) {
	const { title, audioKey } = await getAsset(deps, orgId, assetId)
	return presignDownload(deps, title, storedFile(audioKey))
}

export async function downloadAiAudio(deps: Deps, orgId: string, assetId: string) {
	const { title, aiAudioKey } = await getAsset(deps, orgId, assetId)
	return presignDownload(deps, title, storedFile(aiAudioKey))
}

export async function downloadVideo(deps: Deps, viewer: Viewer, quality: string | undefined) {
	const asset = await getDownloadable(deps, viewer)
	return presignDownload(deps, asset.title, await findDownload(deps, asset, quality))
}

export async function downloadVideoAudio(deps: Deps, viewer: Viewer) {
	const { title, audioKey } = await getDownloadable(deps, viewer)
	return presignDownload(deps, title, storedFile(audioKey))
}

async function getDownloadable(deps: Deps, viewer: Viewer) {
	const asset = await getPlayable(deps, viewer)
	if (!asset.publicSettings.allowDownload)
		throw new AppError('forbidden', 'downloads are disabled for this video')
	return asset
}

/** Presigns a URL after reading the head of the object, which proves that the expected version exists. */
async function presignDownload({ objects }: Deps, title: string, file: StoredFile | null) {
	const result =
		file &&
		(await objects.vault.get(file.key, {
			range: { offset: 0, length: HEAD_BYTES },
			...(file.etag !== null && { onlyIf: { etag: file.etag } }),
		}))
	if (result?.state !== 'found') throw notFoundError('download')
	const head = new Uint8Array(await new Response(result.body).arrayBuffer())
	const filename = toFileName(title, detectFileType(head))
	const { url } = await objects.presign({
		bucket: 'vault',
		key: result.object.key,
		method: 'GET',
		expiresSeconds: URL_SECONDS,
		responseContentDisposition: formatAttachmentHeader(filename),
	})
	return { downloadUrl: url, fileSizeBytes: result.object.sizeBytes, filename }
}
