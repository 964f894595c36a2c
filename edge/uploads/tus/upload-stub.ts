import { AppError } from '../../http/errors.ts'
import type { Env } from '../../platform/env.ts'
import { APPEND_HEADER, type Append, type Appended, type ResumableUpload } from './upload-object.ts'

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

export async function appendTo(
	upload: UploadStub,
	append: Append,
	body: ReadableStream | null,
): Promise<Appended> {
	const response = await upload.fetch('https://upload/', {
		method: 'PATCH',
		headers: { [APPEND_HEADER]: JSON.stringify(append) },
		body,
	})
	return response.json()
}
