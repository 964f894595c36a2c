import { signup } from '#schema/contract/accounts/identity.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import { createAsset, createPlaybackToken, updateAsset } from '#schema/contract/video/assets.ts'
import type { RunningWorker } from '../../../support/shared/miniflare-worker.ts'

export const DURATION_SEC = 12.5

type Details = { title?: string; description?: string }

/** Creates a video that is ready, but has no segments. */
export async function createReadyVideo(
	{ url, miniflare }: RunningWorker,
	{ title = 'Film', description }: Details = {},
): Promise<{ playbackId: string; sign(): Promise<string> }> {
	const client = createClient({ baseUrl: url, fetch })
	const person = {
		email: `${crypto.randomUUID()}@example.org`,
		password: 'correct horse battery',
		name: 'Ada',
	}
	const { token } = (await client.call(signup, { body: person })).data
	const { id, playbackId } = (await client.call(createAsset, { body: { title } }, { token })).data
	if (description !== undefined)
		await client.call(updateAsset, { params: { assetId: id }, body: { description } }, { token })
	const key = `media/${playbackId}/v1/master.m3u8`
	await (await miniflare.getR2Bucket('MEDIA')).put(key, '#EXTM3U\n')
	const database = await miniflare.getD1Database('DB')
	await database
		.prepare(
			"update assets set status = 'ready', manifest_key = ?, duration_sec = ?, width = 640, height = 360 where id = ?",
		)
		.bind(key, DURATION_SEC, id)
		.run()
	return {
		playbackId,
		/** Makes it a signed video and returns a playback token. */
		async sign() {
			const params = { assetId: id }
			await client.call(updateAsset, { params, body: { visibility: 'signed' } }, { token })
			return (await client.call(createPlaybackToken, { params, body: {} }, { token })).data.token
		},
	}
}
