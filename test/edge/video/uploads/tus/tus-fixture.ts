import { listDurableObjectIds, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { createAsset, getAsset, type NewAsset } from '#schema/contract/video/assets.ts'
import * as tus from '#schema/contract/video/resumable-uploads.ts'
import { createUploadToken } from '#schema/contract/video/uploads.ts'
import type { UploadRecord } from '../../../../../edge/video/uploads/tus/upload-ledger.ts'
import type { ResumableUpload } from '../../../../../edge/video/uploads/tus/upload-object.ts'
import { storedObjects } from '../../../../support/edge/stored-objects.ts'
import type { Person, World } from '../../../../support/edge/world.ts'
import { checkResponse } from '../../../../support/shared/openapi-validator.ts'

export const MIB = 1024 ** 2
export const PART = 5 * MIB

export const base64 = (bytes: Uint8Array | string) =>
	btoa(String.fromCharCode(...(typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes)))

/** Returns pseudo-random bytes, so that parts in the wrong order change the digest. */
export function film(size: number): Uint8Array<ArrayBuffer> {
	const words = new Uint32Array(Math.ceil(size / 4))
	for (let i = 0, x = size + 1; i < words.length; i++) {
		x = (Math.imul(x, 1_664_525) + 1_013_904_223) >>> 0
		words[i] = x
	}
	return new Uint8Array(words.buffer, 0, size).slice()
}

export async function digestBase64(bytes: BufferSource, algorithm = 'SHA-256'): Promise<string> {
	return base64(new Uint8Array(await crypto.subtle.digest(algorithm, bytes)))
}

export type Sent = {
	headers?: Record<string, string | undefined>
	body?: BodyInit | undefined
	token?: string | undefined
}

const operations: Record<string, { all: Operation; one: Operation }> = {
	OPTIONS: { all: tus.describeUploads, one: tus.describeUpload },
	POST: { all: tus.beginUpload, one: tus.beginUpload },
	HEAD: { all: tus.inspectUpload, one: tus.inspectUpload },
	PATCH: { all: tus.appendUpload, one: tus.appendUpload },
	DELETE: { all: tus.endUpload, one: tus.endUpload },
}

/** Creates an asset with an upload token. Returns requests to its uploads, whose responses are checked against the contract. */
export async function openUpload(
	world: World,
	person: Person,
	fileSize = 100 * MIB,
	fields: Partial<NewAsset> = {},
) {
	const assetId = (await world.ask(createAsset, { body: { title: 'Film', ...fields } }, person)).ok.data.id
	const mint = async () =>
		(await world.ask(createUploadToken, { params: { assetId }, body: { fileSize } }, person)).ok.data
	const { token, sourceKey } = await mint()

	async function send(method: string, path: string, { headers = {}, body, token: other }: Sent = {}) {
		const allHeaders = { 'tus-resumable': '1.0.0', authorization: `Bearer ${other ?? token}`, ...headers }
		const sentHeaders = Object.entries(allHeaders).filter(
			(pair): pair is [string, string] => pair[1] !== undefined,
		)
		world.pass(1)
		const response = await world.fetch(
			new Request(`https://edge.test${path}`, {
				method,
				headers: Object.fromEntries(sentHeaders),
				...(body !== undefined && { body }),
			}),
		)
		const effectiveMethod = headers['x-http-method-override'] ?? method
		const op = operations[effectiveMethod]?.[path === '/upload/videos' ? 'all' : 'one']
		if (op && response.status !== 405) await checkResponse(op, response.clone())
		// The specification requires this header on every response.
		expect(response.headers.get('tus-resumable'), `${method} ${path}`).toBe('1.0.0')
		return response
	}

	const metadata = `filename ${base64(sourceKey)},filetype ${base64('video/mp4')}`
	const post = (headers: Sent['headers'], more: Omit<Sent, 'headers'> = {}) =>
		send('POST', '/upload/videos', { ...more, headers: { 'upload-metadata': metadata, ...headers } })

	async function begin(size: number | 'deferred' = 0, more: Sent = {}): Promise<string> {
		const length: Record<string, string> =
			size === 'deferred' ? { 'upload-defer-length': '1' } : { 'upload-length': String(size) }
		const answer = await post({ ...length, ...more.headers }, more)
		expect([answer.status, await answer.text()]).toEqual([201, ''])
		return String(answer.headers.get('location'))
	}

	const patch = (location: string, offset: number | string, body?: BodyInit, more: Sent = {}) =>
		send('PATCH', location, {
			...more,
			body,
			headers: {
				'content-type': 'application/offset+octet-stream',
				'upload-offset': String(offset),
				...(body instanceof Uint8Array && { 'content-length': String(body.byteLength) }),
				...more.headers,
			},
		})
	const head = (location: string, more: Sent = {}) => send('HEAD', location, more)
	const readOffset = async (location: string) => {
		const answer = await head(location)
		return answer.status === 200 ? Number(answer.headers.get('upload-offset')) : answer.status
	}

	/** Runs code inside the Durable Object of the upload. */
	const inObject = <T>(act: (object: ResumableUpload, state: DurableObjectState) => Promise<T> | T) =>
		runInDurableObject(objectOf(assetId), act)
	const record = () =>
		inObject((_, { storage }) => {
			const tables = storage.sql.exec("select 1 from sqlite_master where name = 'upload'").toArray()
			if (tables.length === 0) return null
			const [row] = storage.sql.exec<{ record: string }>('select record from upload').toArray()
			return row ? (JSON.parse(row.record) as UploadRecord) : null
		})
	const requireRecord = async () => {
		const existing = await record()
		if (!existing) throw new Error('there is no upload')
		return existing
	}

	return {
		assetId,
		token,
		sourceKey,
		metadata,
		mint,
		send,
		post,
		begin,
		patch,
		head,
		readOffset,
		inObject,
		record,
		/** Returns the record, or throws if there is no upload. */
		requireRecord,
		/** Starts an upload and sends a third of it, so that one part is in the bucket. */
		beginPartial: async () => {
			const location = await begin(3 * PART)
			await patch(location, 0, film(PART + 1))
			return { location, record: await requireRecord() }
		},
		remove: (location: string, more: Sent = {}) => send('DELETE', location, more),
		status: async () => (await world.ask(getAsset, { params: { assetId } }, person)).ok.data.status,
		/** Expires the upload and runs its alarm. */
		expire: async () => {
			await inObject((_, { storage }) => {
				storage.sql.exec("update upload set record = json_set(record, '$.expiresAt', 0)")
			})
			return runDurableObjectAlarm(objectOf(assetId))
		},
		/** Reads the source that the database names; throws if the bucket holds another version. */
		source: async () => {
			const [row] = await world.deps((d) =>
				d.db.all<{ source_key: string; source_etag: string; source_size_bytes: number }>(
					`select source_key, source_etag, source_size_bytes from assets where id = '${assetId}' and source_key is not null`,
				),
			)
			if (!row) return null
			const object = await env.VAULT.get(row.source_key, { onlyIf: { etagMatches: row.source_etag } })
			if (!object || !('body' in object)) throw new Error('the source is not the recorded version')
			return {
				key: row.source_key,
				sizeBytes: row.source_size_bytes,
				contentType: object.httpMetadata?.contentType,
				digest: await digestBase64(await object.arrayBuffer()),
			}
		},
	}
}
export type Upload = Awaited<ReturnType<typeof openUpload>>

const namespace = () => env.UPLOADS as DurableObjectNamespace<ResumableUpload>
const objectOf = (assetId: string) => namespace().getByName(assetId)

/** Returns whether the bucket still holds this multipart upload, by adding a part to it. */
export async function isOpen({ key, multipartId }: UploadRecord): Promise<boolean> {
	if (!multipartId) return false
	try {
		await env.VAULT.resumeMultipartUpload(key, multipartId).uploadPart(9_999, 'x')
		return true
	} catch {
		return false
	}
}

export const storedKeys = async () => (await storedObjects(env.VAULT)).map(({ key }) => key)

export const uploadedEvents = (world: World) =>
	world.deps((d) => d.db.all("select id from outbox where type = 'asset.uploaded'"))
export const purges = (world: World) =>
	world.deps((d) => d.db.all<{ prefix: string }>('select prefix from storage_purges'))

/** Counts the Durable Objects that still hold an upload. */
export async function heldByObjects(): Promise<number> {
	const ids = await listDurableObjectIds(namespace())
	const held = await Promise.all(
		ids.map((id) =>
			runInDurableObject(
				namespace().get(id),
				(_, { storage }) =>
					storage.sql.exec("select 1 from sqlite_master where name = 'upload'").toArray().length,
			),
		),
	)
	return held.reduce((sum, tables) => sum + tables, 0)
}

/** Returns a request body whose bytes, end and failure the test controls. */
export function openBody(): {
	body: ReadableStream
	write(bytes: Uint8Array): Promise<void>
	cut(): Promise<void>
	end(): Promise<void>
} {
	const { readable, writable } = new IdentityTransformStream()
	const writer = writable.getWriter()
	return {
		body: readable,
		write: (bytes) => writer.write(bytes),
		cut: () => writer.abort(new Error('connection lost')).catch(() => undefined),
		end: () => writer.close(),
	}
}
