import { z } from 'zod'
import { describeOperations } from '../kit/operation.ts'
import { MAX_RESUMABLE_BYTES } from './uploads.ts'

const operation = describeOperations('Resumable uploads')

export const TUS_VERSION = '1.0.0'
export const TUS_EXTENSIONS = [
	'creation',
	'creation-with-upload',
	'creation-defer-length',
	'expiration',
	'checksum',
	'termination',
] as const
export const TUS_CHECKSUMS = ['sha1', 'sha256', 'md5'] as const
export const TUS_MEDIA_TYPE = 'application/offset+octet-stream'

/** Digits only, and few enough for a double to hold the number exactly. */
const Bytes = z
	.string()
	.regex(/^\d{1,16}$/, 'must be a whole number')
	.transform(Number)
	.pipe(z.int().min(0))
const version = z
	.string()
	.optional()
	.meta({ description: `The protocol version: ${TUS_VERSION}` })
const Offset = Bytes.meta({ description: 'Number of bytes received so far' })
const Length = Bytes.meta({ description: 'Total number of bytes of the upload' })
const Deferred = z.literal('1').meta({ description: 'The total length is not known yet' })
const Metadata = z
	.string()
	.max(8_192)
	.regex(/^[\x20-\x7e]*$/, 'must be ASCII')
	.meta({
		description:
			'Pairs of a key and a Base64 value. `filename` must be the `sourceKey` of the token; `filetype` is the media type',
	})
const Checksum = z
	.string()
	.max(200)
	.optional()
	.meta({
		description: `An algorithm (${TUS_CHECKSUMS.join(', ')}), a space and the Base64 digest of the body`,
	})
const Expires = z.string().optional().meta({ description: 'When an unfinished upload expires' })
const Override = z
	.string()
	.optional()
	.meta({ description: "The method to use instead of the real one, for clients that can't send it" })

const versionHeader = { 'Tus-Resumable': z.literal(TUS_VERSION) }
const requestHeaders = { 'Tus-Resumable': version, 'X-HTTP-Method-Override': Override }
const progressHeaders = { ...versionHeader, 'Upload-Offset': Offset, 'Upload-Expires': Expires }

/** 128 random bits. */
const UploadParams = z.object({ uploadId: z.string().regex(/^[0-9A-Za-z]{22}$/) })

const bytes = { type: TUS_MEDIA_TYPE, maxBytes: MAX_RESUMABLE_BYTES } as const
/** Errors of requests whose body may complete the upload. */
const completionErrors = [
	'plan_limit',
	'conflict',
	'not_found',
	'gone',
	'locked',
	'checksum_mismatch',
	'version_unsupported',
] as const

const Description = z.object({
	...versionHeader,
	'Tus-Version': z.literal(TUS_VERSION),
	'Tus-Extension': z.literal(TUS_EXTENSIONS.join(',')),
	'Tus-Max-Size': z.literal(String(MAX_RESUMABLE_BYTES)),
	'Tus-Checksum-Algorithm': z.literal(TUS_CHECKSUMS.join(',')),
})

export const describeUploads = operation({
	id: 'describeUploads',
	method: 'options',
	path: '/upload/videos',
	summary: 'Get the supported TUS version and extensions',
	description: 'Needs no credential.',
	auth: 'public',
	anyOrigin: true,
	status: 204,
	answerHeaders: Description,
})

export const describeUpload = operation({
	id: 'describeUpload',
	method: 'options',
	path: '/upload/videos/{uploadId}',
	summary: 'Get the supported TUS version and extensions',
	auth: 'public',
	anyOrigin: true,
	params: UploadParams,
	status: 204,
	answerHeaders: Description,
})

export const beginUpload = operation({
	id: 'beginUpload',
	method: 'post',
	path: '/upload/videos',
	summary: 'Start a resumable upload (TUS 1.0.0)',
	description:
		'Send exactly one of `Upload-Length` and `Upload-Defer-Length`. The body may contain the first bytes. An asset has one upload at a time; starting another one discards the first. The last byte moves the asset to `uploaded`.',
	auth: 'upload',
	audit: 'none: content',
	whenSuspended: 'no new work',
	idempotencyKey: { unkept: 'the body is streamed; TUS resumes an upload by its URL' },
	anyOrigin: true,
	headers: z.object({
		...requestHeaders,
		'Upload-Length': Length.optional(),
		'Upload-Defer-Length': Deferred.optional(),
		'Upload-Metadata': Metadata,
		'Upload-Checksum': Checksum,
	}),
	takesBytes: { ...bytes, optional: true },
	status: 201,
	answerHeaders: z.object({
		...progressHeaders,
		Location: z.string().meta({ description: 'The URL of the upload' }),
	}),
	errors: ['forbidden', ...completionErrors],
})

export const inspectUpload = operation({
	id: 'inspectUpload',
	method: 'head',
	path: '/upload/videos/{uploadId}',
	summary: 'Get the offset of an upload',
	description:
		'The caller is expected to continue the upload, so another request that is still sending to it is ended with 423. The bytes of that request count.',
	auth: 'upload',
	anyOrigin: true,
	params: UploadParams,
	headers: z.object(requestHeaders),
	answerHeaders: z.object({
		...progressHeaders,
		'Upload-Length': Length.optional(),
		'Upload-Defer-Length': Deferred.optional(),
		'Upload-Metadata': Metadata,
	}),
	errors: ['plan_limit', 'conflict', 'gone', 'version_unsupported'],
})

export const appendUpload = operation({
	id: 'appendUpload',
	method: 'patch',
	path: '/upload/videos/{uploadId}',
	summary: 'Append bytes to an upload',
	description:
		'Returns 409 if `Upload-Offset` is not the current offset. If the body is interrupted, the bytes that arrived are kept, unless the request has a checksum.',
	auth: 'upload',
	audit: 'none: content',
	anyOrigin: true,
	params: UploadParams,
	headers: z.object({
		...requestHeaders,
		'Upload-Offset': Offset,
		'Upload-Length': Length.optional().meta({
			description: 'The total length, sent once if it was deferred',
		}),
		'Upload-Checksum': Checksum,
	}),
	takesBytes: bytes,
	status: 204,
	answerHeaders: z.object(progressHeaders),
	errors: completionErrors,
})

export const endUpload = operation({
	id: 'endUpload',
	method: 'delete',
	path: '/upload/videos/{uploadId}',
	summary: 'Cancel an upload',
	description: 'Deletes the received bytes. The source of a completed upload is kept.',
	auth: 'upload',
	audit: 'none: content',
	anyOrigin: true,
	params: UploadParams,
	headers: z.object(requestHeaders),
	status: 204,
	answerHeaders: z.object(versionHeader),
	errors: ['version_unsupported'],
})
