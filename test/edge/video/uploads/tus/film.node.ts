import { createHash } from 'node:crypto'
import { signup } from '#schema/contract/accounts/identity.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import { createAsset } from '#schema/contract/video/assets.ts'
import { createUploadToken } from '#schema/contract/video/uploads.ts'
import type { RunningWorker } from '../../../../support/shared/miniflare-worker.ts'

export const MIB = 1024 ** 2

export const sha256 = (bytes: Uint8Array | ArrayBuffer): string =>
	createHash('sha256').update(new Uint8Array(bytes)).digest('hex')

/** Signs up a user who creates assets to upload to, and reads the stored sources. */
export async function openUploader({ url, miniflare }: Pick<RunningWorker, 'url' | 'miniflare'>) {
	const client = createClient({ baseUrl: url, fetch })
	const body = { email: `${crypto.randomUUID()}@example.org`, password: 'correct horse battery', name: 'Ada' }
	const { token: session } = (await client.call(signup, { body })).data
	const as = { token: session }
	return {
		session,
		async openAsset(fileSize: number) {
			const { id } = (await client.call(createAsset, { body: { title: 'Film' } }, as)).data
			const upload = await client.call(createUploadToken, { params: { assetId: id }, body: { fileSize } }, as)
			return { assetId: id, ...upload.data }
		},
		/** Returns the SHA-256 of the source that the database names, or null. */
		sourceDigest: (assetId: string) => sourceDigest({ miniflare }, assetId),
	}
}

export async function sourceDigest(
	{ miniflare }: Pick<RunningWorker, 'miniflare'>,
	assetId: string,
): Promise<string | null> {
	const database = await miniflare.getD1Database('DB')
	const row = await database
		.prepare('select source_key, source_etag from assets where id = ? and status = ?')
		.bind(assetId, 'uploaded')
		.first<{ source_key: string; source_etag: string }>()
	if (!row) return null
	const object = await (await miniflare.getR2Bucket('VAULT')).get(row.source_key)
	if (object?.etag !== row.source_etag) throw new Error('the source is not the recorded version')
	return sha256(await object.arrayBuffer())
}
