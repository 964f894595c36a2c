import { getAsset } from '../assets/assets.ts'
import type { AssetRow } from '../assets/store.ts'
import { AppError } from '../http/errors.ts'
import { MINUTE, SECOND } from '../platform/clock.ts'
import type { Deps } from '../platform/deps.ts'
import { attachment } from '../platform/header-values.ts'
import { findRenditionFile } from '../transcoding/rendition-file.ts'
import { fileName } from './file-name.ts'
import { fileTypeOf } from './file-type.ts'
import { getPlayable, type Viewer } from './playback.ts'

/** An address opens the file until it ends, whatever becomes of the asset: so it ends soon. */
const URL_SECONDS = (15 * MINUTE) / SECOND
/** Enough to know a container by its first bytes. */
const HEAD_BYTES = 512

/** An object of the vault; with an etag, only that version of it. */
type StoredFile = { key: string; etag: string | null }
type Downloadable = Pick<AssetRow, 'id' | 'title' | 'sourceKey' | 'sourceEtag' | 'downloadKey'>

/** The file for a quality; null if there is none. */
async function findDownload(
	deps: Deps,
	asset: Downloadable,
	quality: string | undefined,
): Promise<StoredFile | null> {
	const source = asset.sourceKey === null ? null : { key: asset.sourceKey, etag: asset.sourceEtag }
	const best = made(asset.downloadKey)
	if (quality === undefined) return source ?? best
	if (quality === 'source') return source
	return quality === 'best' ? best : made(await findRenditionFile(deps, asset.id, quality))
}

const made = (key: string | null): StoredFile | null => (key === null ? null : { key, etag: null })

export async function downloadAsset(deps: Deps, orgId: string, assetId: string, quality: string | undefined) {
	const asset = await getAsset(deps, orgId, assetId)
	return presignDownload(deps, asset.title, await findDownload(deps, asset, quality))
}

export async function downloadAudio(deps: Deps, orgId: string, assetId: string) {
	const { title, audioKey } = await getAsset(deps, orgId, assetId)
	return presignDownload(deps, title, made(audioKey))
}

export async function downloadAiAudio(deps: Deps, orgId: string, assetId: string) {
	const { title, aiAudioKey } = await getAsset(deps, orgId, assetId)
	return presignDownload(deps, title, made(aiAudioKey))
}

export async function downloadVideo(deps: Deps, viewer: Viewer, quality: string | undefined) {
	const asset = await getDownloadable(deps, viewer)
	return presignDownload(deps, asset.title, await findDownload(deps, asset, quality))
}

export async function downloadVideoAudio(deps: Deps, viewer: Viewer) {
	const { title, audioKey } = await getDownloadable(deps, viewer)
	return presignDownload(deps, title, made(audioKey))
}

async function getDownloadable(deps: Deps, viewer: Viewer) {
	const asset = await getPlayable(deps, viewer)
	if (!asset.publicSettings.allowDownload) throw new AppError('forbidden', 'this video may not be downloaded')
	return asset
}

/** The object is looked at first: an address is given only to what is there, and is what it was. */
async function presignDownload({ objects }: Deps, title: string, file: StoredFile | null) {
	const answer =
		file &&
		(await objects.vault.get(file.key, {
			range: { offset: 0, length: HEAD_BYTES },
			...(file.etag !== null && { onlyIf: { etag: file.etag } }),
		}))
	if (answer?.state !== 'found') throw new AppError('not_found', 'there is no such file to download')
	const head = new Uint8Array(await new Response(answer.body).arrayBuffer())
	const filename = fileName(title, fileTypeOf(head))
	const { url } = await objects.presign({
		bucket: 'vault',
		key: answer.object.key,
		method: 'GET',
		expiresSeconds: URL_SECONDS,
		responseContentDisposition: attachment(filename),
	})
	return { downloadUrl: url, fileSizeBytes: answer.object.sizeBytes, filename }
}
