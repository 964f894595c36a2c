import { createHash } from 'node:crypto'
import { createClient } from '#schema/contract/kit/client.ts'
import { signup } from '#schema/contract/platform/identity.ts'
import { createAsset } from '#schema/contract/video/assets.ts'
import { createUploadToken } from '#schema/contract/video/uploads.ts'
import type { RunningWorker } from '../../../support/shared/miniflare-worker.ts'

export const MIB = 1024 ** 2

export const sha256 = (bytes: Uint8Array | ArrayBuffer): string =>
	createHash('sha256').update(new Uint8Array(bytes)).digest('hex')

/** Someone who uploads, and what the Worker made of it. */
export async function openStudio({ url, miniflare }: Pick<RunningWorker, 'url' | 'miniflare'>) {
	const client = createClient({ baseUrl: url, fetch })
	const body = { email: `${crypto.randomUUID()}@example.org`, password: 'correct horse battery', name: 'Ada' }
	const { token: session } = (await client.call(signup, { body })).data
	const as = { token: session }
	return {
		session,
		async openAsset(fileSize: number) {
			const { id } = (await client.call(createAsset, { body: { title: 'Film' } }, as)).data
			const asked = await client.call(createUploadToken, { params: { assetId: id }, body: { fileSize } }, as)
			return { assetId: id, ...asked.data }
		},
		/** SHA-256 of the source as the database names it; null while there is none. */
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
	if (object?.etag !== row.source_etag) throw new Error('the source is not the one that was recorded')
	return sha256(await object.arrayBuffer())
}
