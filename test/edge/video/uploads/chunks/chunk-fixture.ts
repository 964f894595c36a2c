import { env } from 'cloudflare:workers'
import { createAsset, getAsset, type NewAsset } from '#schema/contract/video/assets.ts'
import { completeUpload, createUploadUrl, uploadSource } from '#schema/contract/video/uploads.ts'
import type { Person, World } from '../../../../support/edge/world.ts'
import { checkResponse } from '../../../../support/shared/openapi-validator.ts'
import { digestBase64 } from '../tus/tus-fixture.ts'

export const ways = ['presigned', 'direct'] as const
export type Way = (typeof ways)[number]

/** Creates an asset. Returns requests that send chunks of its source, whose responses are checked against the contract. */
export async function openChunks(world: World, person: Person, way: Way, fields: Partial<NewAsset> = {}) {
	const assetId = (await world.ask(createAsset, { body: { title: 'Film', ...fields } }, person)).ok.data.id
	const params = { assetId }
	const createUrl = async () => (await world.ask(createUploadUrl, { params }, person)).ok.data.uploadUrl
	const direct = `https://edge.test/v1/assets/${assetId}/upload`
	let url = way === 'presigned' ? await createUrl() : direct
	const credential: Record<string, string> =
		way === 'presigned' ? {} : { authorization: `Bearer ${person.token}` }

	/** Sends a body with `Content-Range`. */
	async function send(contentRange: string, body: BodyInit | null, headers: Record<string, string> = {}) {
		world.pass(1)
		const length = body instanceof Uint8Array ? body.byteLength : 0
		const response = await world.fetch(
			new Request(url, {
				method: 'PUT',
				headers: {
					'content-range': contentRange,
					'content-length': String(length),
					'content-type': 'video/mp4',
					...credential,
					...headers,
				},
				body,
			}),
		)
		if (way === 'direct') await checkResponse(uploadSource, response.clone())
		const text = await response.text()
		return { status: response.status, range: response.headers.get('range'), text, headers: response.headers }
	}

	const get = async () => (await world.ask(getAsset, { params }, person)).ok.data
	return {
		assetId,
		send,
		/** Sends the bytes of a film from `start` to before `end`. */
		chunk: (film: Uint8Array<ArrayBuffer>, start: number, end: number, total = film.byteLength) =>
			send(`bytes ${start}-${end - 1}/${total}`, film.slice(start, end)),
		askStored: (total: number | '*') => send(`bytes */${total}`, null),
		complete: (body?: Parameters<typeof world.ask<typeof completeUpload>>[1]['body']) =>
			world.ask(completeUpload, { params, ...(body && { body }) }, person),
		/** Continues with a new URL, as a client does after its own has expired. */
		renewUrl: async () => {
			url = await createUrl()
		},
		get,
		status: async () => (await get()).status,
		/** Completes a presigned upload. Returns the stored source, or null if there is none. */
		finished: async () => {
			if (way === 'presigned') await world.ask(completeUpload, { params }, person)
			const [row] = await world.deps((d) =>
				d.db.all<{ source_key: string; source_etag: string; source_size_bytes: number }>(
					`select source_key, source_etag, source_size_bytes from assets where id = '${assetId}' and source_key is not null`,
				),
			)
			if (!row) return null
			const object = await env.VAULT.get(row.source_key, { onlyIf: { etagMatches: row.source_etag } })
			if (!object || !('body' in object)) throw new Error('the source is not the recorded version')
			const digest = await digestBase64(await object.arrayBuffer())
			return { sizeBytes: row.source_size_bytes, contentType: object.httpMetadata?.contentType, digest }
		},
	}
}
export type Chunks = Awaited<ReturnType<typeof openChunks>>
