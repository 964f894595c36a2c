import { z } from 'zod'
import { AssetId, CollectionId, DirectUploadId, data, Line, Timestamp } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'
import { dataPage, PageQuery } from '../kit/page.ts'
import { NewAsset, PublicSettings, Visibility } from './assets.ts'
import { ProcessOptions } from './processing/process-options.ts'
import { inChunks, MAX_DIRECT_BYTES } from './uploads.ts'

const operation = describeOperations('Uploads')

const DAY_SEC = 86_400

const MediaType = z
	.string()
	.trim()
	.toLowerCase()
	.max(100)
	.regex(/^[a-z]+\/(?:\*|[a-z0-9.+-]+)$/, 'must be a media type such as video/mp4 or video/*')

const DirectUploadParams = z.object({ uploadId: DirectUploadId })

export const DirectUploadStatus = z.enum(['waiting', 'asset_created', 'cancelled', 'timed_out', 'errored'])

const upload = {
	id: DirectUploadId,
	status: DirectUploadStatus,
	assetId: AssetId.nullable().meta({ description: 'null until the file is complete' }),
	corsOrigin: z.string().nullable(),
	maxBytes: z.int(),
	contentTypes: z.array(z.string()),
	newAsset: z.object({
		title: z.string(),
		description: z.string().nullable(),
		visibility: Visibility,
		publicSettings: PublicSettings,
		metadata: z.record(z.string(), z.string()),
		collectionId: CollectionId.nullable(),
		process: z.literal('whenUploaded').nullable(),
		processOptions: ProcessOptions.nullable(),
	}),
	error: z
		.object({ code: z.string(), message: z.string() })
		.nullable()
		.meta({ description: 'Why a complete file became no asset, if `status` is `errored`' }),
	createdAt: Timestamp,
	expiresAt: Timestamp,
	endedAt: Timestamp.nullable(),
}

export const DirectUpload = z.object(upload).meta({ id: 'DirectUpload' })
export type DirectUpload = z.infer<typeof DirectUpload>

/** Bounds what an organization can reserve without sending a byte. */
export const MAX_WAITING_UPLOADS = 1_000

export const createDirectUpload = operation({
	id: 'createDirectUpload',
	method: 'post',
	path: '/v1/direct-uploads',
	summary: 'Let a browser upload one file, without a credential of its own',
	description: `Give \`url\` to the browser: it is the only credential for the file, it is shown once, and it allows nothing but this upload. The browser sends the file there, whole or in chunks (\`uploadDirectly\`); \`@mux/upchunk\` and \`@mux/mux-uploader\` take it as their endpoint. The asset is created when the last byte arrives, with the event \`upload.asset_created\`. From its first byte until the upload ends, the announced size of the file counts against the storage limit, but not as used storage. An upload that expires is deleted with its bytes. Returns 404 for a collection that does not exist; if it is deleted later, the asset is created without a collection. Returns 409 while the organization has ${MAX_WAITING_UPLOADS} waiting uploads.`,
	auth: 'write',
	audit: 'none: content',
	whenSuspended: 'no new work',
	body: z.object({
		corsOrigin: Line.max(300).optional().meta({
			description:
				'The origin of the only web page that may upload, such as `https://studio.example.org`; http is for localhost only. Without it, only programs may upload',
		}),
		maxBytes: z.int().min(1).max(MAX_DIRECT_BYTES).default(MAX_DIRECT_BYTES),
		contentTypes: z.array(MediaType).max(20).default([]).meta({
			description: 'The media types that the browser may send, such as `video/*`; any if empty',
		}),
		expiresInSec: z
			.int()
			.min(60)
			.max(3 * DAY_SEC)
			.default(3_600),
		newAsset: NewAsset,
	}),
	status: 201,
	response: data(
		DirectUpload.extend({ url: z.string().meta({ description: 'Shown only once' }) }).meta({
			id: 'NewDirectUpload',
		}),
	),
	errors: ['not_configured', 'not_found', 'plan_limit', 'conflict'],
})

export const listDirectUploads = operation({
	id: 'listDirectUploads',
	method: 'get',
	path: '/v1/direct-uploads',
	summary: 'List direct uploads, newest first',
	description: 'An upload is listed for 30 days after its end.',
	auth: 'read',
	query: PageQuery,
	paged: true,
	response: dataPage(DirectUpload),
})

export const getDirectUpload = operation({
	id: 'getDirectUpload',
	method: 'get',
	path: '/v1/direct-uploads/{uploadId}',
	summary: 'Get a direct upload',
	auth: 'read',
	params: DirectUploadParams,
	response: data(DirectUpload),
	errors: ['not_found'],
})

export const cancelDirectUpload = operation({
	id: 'cancelDirectUpload',
	method: 'delete',
	path: '/v1/direct-uploads/{uploadId}',
	summary: 'Cancel a direct upload',
	description:
		'Deletes the received bytes; the URL works no longer. Returns 409 if the upload has ended in another way.',
	auth: 'write',
	audit: 'none: content',
	params: DirectUploadParams,
	response: data(DirectUpload),
	errors: ['not_found', 'conflict'],
})

export const uploadDirectly = operation({
	id: 'uploadDirectly',
	sdk: 'directUploads.put',
	method: 'put',
	path: '/upload/direct/{uploadToken}',
	summary: 'Upload the file of a direct upload, whole or in chunks',
	description:
		'The address is the `url` of `createDirectUpload`. With `Content-Range: bytes 0-1048575/5000000`, the body is one chunk of the file: the response is 308 with the stored bytes in `Range` until the last byte arrives. `Content-Range: bytes */5000000` without a body asks what is stored. The request needs a `Content-Length`. Returns 413 and 415 for a file that the upload does not allow, 403 for a page of another origin, and 410 once the upload has ended.',
	auth: 'public',
	audit: 'none: content',
	ownOrigin: true,
	params: z.object({ uploadToken: z.string().regex(/^[0-9A-Za-z]{43}$/) }),
	...inChunks,
	response: data(z.object({ id: DirectUploadId, status: z.literal('asset_created') })),
	errors: [
		...(['not_found', 'forbidden', 'gone', 'conflict', 'org_suspended', 'plan_limit'] as const),
		...(['too_large', 'unsupported_media_type', 'malformed', 'not_configured'] as const),
	],
})
