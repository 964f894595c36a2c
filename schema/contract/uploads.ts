import { z } from 'zod'
import { AssetParams } from './assets.ts'
import { AssetId, data, Timestamp } from './fields.ts'
import { operation } from './operation.ts'

const tag = 'Uploads'
const GIB = 1024 ** 3

export const MAX_DIRECT_BYTES = 5 * GIB
export const MAX_RESUMABLE_BYTES = 10 * GIB

const Uploaded = z.object({ id: AssetId, status: z.literal('uploaded') })
const SourceKey = z.string().meta({ description: 'Names the source in the store' })

export const createUploadUrl = operation({
	id: 'createUploadUrl',
	method: 'post',
	path: '/v1/assets/{assetId}/upload-url',
	tag,
	summary: 'An address to PUT the source to',
	description:
		'Valid for an hour, for one key. PUT the raw file to `uploadUrl` with the `headers` of the answer, then call upload-complete: what is there at that moment is the source, and only that version is ever read. With `writeOnce` the address works once; it then has a header that must be sent.',
	auth: 'write',
	params: AssetParams,
	body: z.object({ writeOnce: z.boolean().default(false) }),
	bodyOptional: true,
	status: 200,
	response: data(
		z
			.object({
				uploadUrl: z.string(),
				sourceKey: SourceKey,
				method: z.literal('PUT'),
				headers: z.record(z.string(), z.string()),
				expiresAt: Timestamp,
			})
			.meta({ id: 'UploadUrl' }),
	),
	errors: ['not_found', 'conflict', 'plan_limit', 'not_configured'],
})

export const createUploadToken = operation({
	id: 'createUploadToken',
	method: 'post',
	path: '/v1/assets/{assetId}/upload-token',
	tag,
	summary: 'A token for one resumable upload, valid for 15 minutes',
	description:
		'Its `sub` claim is `sourceKey`. It may be asked for again as long as the asset has no source; 409 after that.',
	auth: 'write',
	params: AssetParams,
	body: z.object({ fileSize: z.int().min(1).max(MAX_RESUMABLE_BYTES) }),
	status: 200,
	response: data(z.object({ token: z.string(), sourceKey: SourceKey })),
	errors: ['not_found', 'conflict', 'plan_limit', 'not_configured'],
})

export const uploadSource = operation({
	id: 'uploadSource',
	method: 'put',
	path: '/v1/assets/{assetId}/upload',
	tag,
	summary: 'Upload the source as the body of one request',
	description:
		'Moves the asset to `uploaded` by itself. Networks in between may take less in one request (413): use upload-url or a resumable upload then.',
	auth: 'write',
	params: AssetParams,
	takesBytes: { type: 'application/octet-stream', maxBytes: MAX_DIRECT_BYTES },
	status: 200,
	response: data(Uploaded.extend({ sourceKey: SourceKey })),
	errors: ['not_found', 'conflict', 'plan_limit'],
})

export const completeUpload = operation({
	id: 'completeUpload',
	method: 'post',
	path: '/v1/assets/{assetId}/upload-complete',
	tag,
	summary: 'Say that the source was PUT to the address of upload-url',
	description:
		'409 while nothing is there, and when the asset has a source already. A file that nobody completes within a day is deleted: 410, ask upload-url again.',
	auth: 'write',
	params: AssetParams,
	status: 200,
	response: data(Uploaded),
	errors: ['not_found', 'conflict', 'plan_limit', 'gone'],
})

export const importSource = operation({
	id: 'importSource',
	method: 'post',
	path: '/v1/assets/{assetId}/import',
	tag,
	summary: 'Name an address the source is fetched from',
	description:
		'https (http only where the installation allows it), on port 80, 443, 8080 or 8443 of a public host that is not part of this installation, without a user name. It is fetched when the asset is processed; an address that turns out to be no good ends in the status `error`.',
	auth: 'write',
	params: AssetParams,
	body: z.object({ sourceUrl: z.string().trim().min(1).max(2_048) }),
	status: 200,
	response: data(Uploaded),
	errors: ['not_found', 'conflict', 'plan_limit'],
})
