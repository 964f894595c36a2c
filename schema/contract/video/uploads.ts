import { z } from 'zod'
import { AssetId, data, Timestamp } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'
import { AssetParams, SourceUrl } from './assets.ts'

const operation = describeOperations('Uploads')
const GIB = 1024 ** 3

export const MAX_DIRECT_BYTES = 5 * GIB
export const MAX_RESUMABLE_BYTES = 10 * GIB

const Uploaded = z.object({ id: AssetId, status: z.literal('uploaded') })
const Stored = Uploaded.extend({
	sourceSizeBytes: z.int().positive().meta({ description: 'The size of the stored source' }),
})
const SourceKey = z.string().meta({ description: 'The key of the source in storage' })

export const createUploadUrl = operation({
	id: 'createUploadUrl',
	method: 'post',
	path: '/v1/assets/{assetId}/upload-url',
	summary: 'Create a presigned URL to PUT the source to',
	description:
		'The URL is valid for an hour, for one key. PUT the raw file to `uploadUrl` with the returned `headers`, then call upload-complete. The file that is stored at that moment becomes the source; later versions are never read. With `writeOnce`, the URL works once.\n\nUnless the installation uses the S3 API of its buckets, the URL also takes the file in chunks with `Content-Range`, as PUT /v1/assets/{assetId}/upload does.',
	auth: 'write',
	audit: 'none: short-lived token',
	whenSuspended: 'no new work',
	params: AssetParams,
	body: z.object({ writeOnce: z.boolean().default(false) }),
	bodyOptional: true,
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
	summary: 'Create a token for a resumable upload, valid for 15 minutes',
	description:
		'The `sub` claim of the token is `sourceKey`. Further tokens can be created until the asset has a source; then the response is 409.',
	auth: 'write',
	audit: 'none: short-lived token',
	whenSuspended: 'no new work',
	params: AssetParams,
	body: z.object({ fileSize: z.int().min(1).max(MAX_RESUMABLE_BYTES) }),
	response: data(z.object({ token: z.string(), sourceKey: SourceKey })),
	errors: ['not_found', 'conflict', 'plan_limit', 'not_configured'],
})

/** What an operation takes and returns that receives a file whole or in chunks. */
export const inChunks = {
	headers: z.object({
		'Content-Range': z
			.string()
			.optional()
			.meta({ description: 'The bytes of the file that the body contains, and the size of the file' }),
	}),
	takesBytes: { type: 'application/octet-stream', maxBytes: MAX_DIRECT_BYTES },
	statusIfIncomplete: 308,
	answerHeaders: z.object({
		Range: z
			.string()
			.optional()
			.meta({ description: 'The stored bytes of an incomplete upload, such as `bytes=0-1048575`' }),
	}),
} as const

export const uploadSource = operation({
	id: 'uploadSource',
	sdk: 'uploads.put',
	method: 'put',
	path: '/v1/assets/{assetId}/upload',
	summary: 'Upload the source in one request or in chunks',
	description:
		'Moves the asset to `uploaded`, so upload-complete is not needed. With `Content-Range: bytes 0-1048575/5000000`, the body is one chunk of the file: the response is 308 with the stored bytes in `Range` until the last byte arrives. Send chunks in order. `Content-Range: bytes */5000000` without a body asks what is stored. Stored bytes that are sent again are compared: a first chunk that differs begins another file, a later one gets 409 and ends the upload. An upload that nobody completes within 3 days is deleted.\n\nA network between client and server may have a lower size limit (413); in that case use upload-url or a resumable upload.',
	auth: 'write',
	audit: 'none: content',
	whenSuspended: 'no new work',
	params: AssetParams,
	...inChunks,
	response: data(Stored.extend({ sourceKey: SourceKey })),
	errors: ['not_found', 'conflict', 'plan_limit', 'gone', 'not_configured'],
})

export const completeUpload = operation({
	id: 'completeUpload',
	method: 'post',
	path: '/v1/assets/{assetId}/upload-complete',
	summary: 'Complete a presigned upload',
	description:
		"Returns 409 if no file was uploaded, if it is incomplete or another one than described, or if the asset already has a source. The file can then be uploaded again. A checksum that the store can't compare returns 422: it knows the MD5 of a file that was stored in one request. A file that is not completed within a day is deleted, and one that was sent in chunks four days after its first chunk; the response is then 410, and upload-url starts again.",
	auth: 'write',
	audit: 'none: content',
	params: AssetParams,
	body: z.object({
		fileSize: z.int().min(1).max(MAX_DIRECT_BYTES).optional().meta({ description: 'In bytes' }),
		checksum: z
			.object({
				algorithm: z.enum(['md5', 'sha256']),
				digest: z
					.string()
					.max(64)
					.regex(/^[A-Za-z0-9+/]+={0,2}$/, 'must be hexadecimal digits or Base64'),
			})
			.optional(),
	}),
	bodyOptional: true,
	response: data(Stored),
	errors: ['not_found', 'conflict', 'plan_limit', 'gone', 'unprocessable'],
})

export const importSource = operation({
	id: 'importSource',
	method: 'post',
	path: '/v1/assets/{assetId}/import',
	summary: 'Import the source from a URL',
	description:
		'`sourceUrl` must be an https URL (http only if the installation allows it) on port 80, 443, 8080 or 8443 of a public host outside this installation, without a user name. The file is fetched when the asset is processed; if that fails, the asset gets the status `error`.',
	auth: 'write',
	audit: 'none: content',
	whenSuspended: 'no new work',
	params: AssetParams,
	body: z.object({ sourceUrl: SourceUrl }),
	response: data(Uploaded),
	errors: ['not_found', 'conflict', 'plan_limit'],
})
