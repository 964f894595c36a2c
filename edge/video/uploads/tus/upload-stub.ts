import { AppError } from '../../../http/errors.ts'
import { DAY } from '../../../platform/clock.ts'
import type { Env } from '../../../platform/env.ts'
import type { Chunk } from '../chunks/append-chunk.ts'
import type { Append, Appended } from './append.ts'
import { APPEND_HEADER, type ChunkAppended, type ResumableUpload } from './upload-object.ts'

/** Long enough for 10 GB over a slow line, and shorter than the week after which R2 deletes parts. */
export const UPLOAD_MS = 3 * DAY

export type UploadStub = DurableObjectStub<ResumableUpload>

/** Returns the Durable Object of an asset's upload. An asset has one source, so it has one upload at a time. */
export function findUpload(env: Env, assetId: string): UploadStub | null {
	const namespace = env.bindings.UPLOADS as DurableObjectNamespace<ResumableUpload> | undefined
	return namespace ? namespace.getByName(assetId) : null
}

export function requireUpload(env: Env, assetId: string): UploadStub {
	const upload = findUpload(env, assetId)
	if (!upload) throw new AppError('not_configured', 'resumable uploads are not set up: bind UPLOADS')
	return upload
}

export const appendTo = (
	upload: UploadStub,
	append: Append,
	body: ReadableStream | null,
): Promise<Appended> => send(upload, 'PATCH', append, body)

export const appendChunkTo = (
	upload: UploadStub,
	chunk: Chunk,
	body: ReadableStream | null,
): Promise<ChunkAppended> => send(upload, 'PUT', chunk, body)

async function send<T>(
	upload: UploadStub,
	method: string,
	order: object,
	body: ReadableStream | null,
): Promise<T> {
	const headers = { [APPEND_HEADER]: JSON.stringify(order) }
	const response = await upload.fetch('https://upload/', { method, headers, body })
	return response.json()
}
