import { get } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signup } from '#schema/contract/accounts/identity.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import { createAsset } from '#schema/contract/video/assets.ts'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'

let worker: RunningWorker
let url: string
const playlist = '#EXTM3U\n'.repeat(500)

beforeAll(async () => {
	worker = await startWorker()
	const client = createClient({ baseUrl: worker.url, fetch })
	const person = { email: 'ada@example.org', password: 'correct horse battery', name: 'Ada' }
	const { token } = (await client.call(signup, { body: person })).data
	const { id, playbackId } = (await client.call(createAsset, { body: { title: 'Film' } }, { token })).data
	const key = `media/${playbackId}/master.m3u8`
	await (await worker.miniflare.getR2Bucket('MEDIA')).put(key, playlist)
	const database = await worker.miniflare.getD1Database('DB')
	await database
		.prepare("update assets set status = 'ready', manifest_key = ? where id = ?")
		.bind(key, id)
		.run()
	url = `${worker.url}/${key}`
})
afterAll(() => worker?.dispose())

/** Requests the playlist without decompressing the response, unlike `fetch`. */
const fetchRaw = (headers: Record<string, string>) =>
	new Promise<{ encoding: string | undefined; bytes: Buffer }>((resolve, reject) => {
		get(url, { headers }, async (response) => {
			const chunks: Buffer[] = []
			for await (const chunk of response) chunks.push(chunk)
			resolve({ encoding: response.headers['content-encoding'], bytes: Buffer.concat(chunks) })
		}).on('error', reject)
	})

test('a playlist is compressed once and decompresses to the stored text', async () => {
	const { encoding, bytes } = await fetchRaw({ 'accept-encoding': 'gzip' })
	expect(encoding).toBe('gzip')
	expect(bytes.byteLength).toBeLessThan(playlist.length / 10)
	expect(gunzipSync(bytes).toString()).toBe(playlist)
	const plain = await fetchRaw({ 'accept-encoding': 'identity' })
	expect([plain.encoding, plain.bytes.toString()]).toEqual([undefined, playlist])
})
