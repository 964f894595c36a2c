import { randomBytes } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { signup } from '#schema/contract/accounts/identity.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import { createAsset, deleteAsset, getAsset } from '#schema/contract/video/assets.ts'
import type { PlaybackMode } from '#schema/contract/video/processing/process-options.ts'
import { processAsset } from '#schema/contract/video/transcoding.ts'
import { completeUpload, createUploadUrl } from '#schema/contract/video/uploads.ts'

const TIMEOUT_MS = 1_500_000
/** Each poll takes the Worker about as long as a step of its own. */
const POLL_MS = 400

/** Signs up a user with an organization; returns what the user can do through the API. `url` may change meanwhile. */
export async function signUp(url: () => string) {
	const email = `${randomBytes(6).toString('hex')}@example.org`
	const body = { email, password: 'a long enough one', name: 'Somebody' }
	const { token, org } = (await createClient({ baseUrl: url(), fetch }).call(signup, { body })).data
	const client = () => createClient({ baseUrl: url(), fetch, token })
	const owner = {
		token,
		orgId: org.id,
		client,

		/** Uploads a file and starts its processing; returns the asset's ID. */
		async process(source: string, title: string, playback: PlaybackMode = 'complete'): Promise<string> {
			const { id: assetId } = (await client().call(createAsset, { body: { title } })).data
			const params = { assetId }
			const { uploadUrl, headers } = (await client().call(createUploadUrl, { params, body: {} })).data
			const put = await fetch(uploadUrl, { method: 'PUT', headers, body: await openAsBlob(source) })
			if (!put.ok) throw new Error(`upload: ${put.status} ${await put.text()}`)
			await client().call(completeUpload, { params })
			await client().call(processAsset, { params, body: { playback } })
			return assetId
		},

		get: async (assetId: string) => (await client().call(getAsset, { params: { assetId } })).data,

		/** Waits until it is ready or has failed. Retries while the edge does not respond. */
		async settled(assetId: string) {
			return until(async () => {
				const asset = await owner.get(assetId).catch(() => null)
				return asset && (asset.status === 'ready' || asset.status === 'error') ? asset : null
			})
		},

		delete: (assetId: string) => client().call(deleteAsset, { params: { assetId } }),
	}
	return owner
}

export type Owner = Awaited<ReturnType<typeof signUp>>

/** Polls until the result is not null; throws after a long time. */
export async function until<T>(poll: () => Promise<T | null>): Promise<T> {
	const deadline = performance.now() + TIMEOUT_MS
	while (performance.now() < deadline) {
		const result = await poll()
		if (result !== null) return result
		await new Promise((done) => setTimeout(done, POLL_MS))
	}
	throw new Error('timed out')
}
