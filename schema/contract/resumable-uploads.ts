import { z } from 'zod'
import { operation } from './operation.ts'
import { MAX_RESUMABLE_BYTES } from './uploads.ts'

const tag = 'Resumable uploads'

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

/** Digits alone: no sign, no point, no exponent, and nothing that a double could not hold. */
const Bytes = z
	.string()
	.regex(/^\d{1,16}$/, 'must be a whole number')
	.transform(Number)
	.pipe(z.int().min(0))
const version = z
	.string()
	.optional()
	.meta({ description: `The version that is spoken: ${TUS_VERSION}` })
const Offset = Bytes.meta({ description: 'How many bytes there are' })
const Length = Bytes.meta({ description: 'How many bytes there will be' })
const Deferred = z.literal('1').meta({ description: 'The length is not known yet' })
const Metadata = z
	.string()
	.max(8_192)
	.regex(/^[\x20-\x7e]*$/, 'must be ASCII')
	.meta({
		description:
			'Pairs of a key and a Base64 value: `filename` must be the `sourceKey` of the token, `filetype` the media type',
	})
const Checksum = z
	.string()
	.max(200)
	.optional()
	.meta({
		description: `An algorithm (${TUS_CHECKSUMS.join(', ')}), a space and the Base64 digest of the body`,
	})
const Expires = z.string().optional().meta({ description: 'When an unfinished upload is given up' })
const Override = z
	.string()
	.optional()
	.meta({ description: 'Stands in the place of the real method, for clients that cannot send it' })

const always = { 'Tus-Resumable': z.literal(TUS_VERSION) }
const sent = { 'Tus-Resumable': version, 'X-HTTP-Method-Override': Override }
const progress = { ...always, 'Upload-Offset': Offset, 'Upload-Expires': Expires }

/** 128 bits that nobody guesses. */
const UploadParams = z.object({ uploadId: z.string().regex(/^[0-9A-Za-z]{22}$/) })

const bytes = { type: TUS_MEDIA_TYPE, maxBytes: MAX_RESUMABLE_BYTES } as const
/** What the last byte may lead to. */
const finishing = [
	'plan_limit',
	'conflict',
	'not_found',
	'gone',
	'locked',
	'checksum_mismatch',
	'version_unsupported',
] as const

const Description = z.object({
	...always,
	'Tus-Version': z.literal(TUS_VERSION),
	'Tus-Extension': z.literal(TUS_EXTENSIONS.join(',')),
	'Tus-Max-Size': z.literal(String(MAX_RESUMABLE_BYTES)),
	'Tus-Checksum-Algorithm': z.literal(TUS_CHECKSUMS.join(',')),
})

export const describeUploads = operation({
	id: 'describeUploads',
	method: 'options',
	path: '/upload/videos',
	tag,
	summary: 'What of the TUS protocol is spoken here',
	description: 'Answers before anyone asks who is calling.',
	auth: 'public',
	anyOrigin: true,
	status: 204,
	answerHeaders: Description,
})

export const describeUpload = operation({
	id: 'describeUpload',
	method: 'options',
	path: '/upload/videos/{uploadId}',
	tag,
	summary: 'What of the TUS protocol is spoken here',
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
	tag,
	summary: 'Begin a resumable upload (TUS 1.0.0)',
	description:
		'Exactly one of `Upload-Length` and `Upload-Defer-Length`. The body may bring the first bytes. An asset has one upload at a time: beginning again gives up what was begun before. When its last byte is there the asset is `uploaded`.',
	auth: 'upload',
	anyOrigin: true,
	headers: z.object({
		...sent,
		'Upload-Length': Length.optional(),
		'Upload-Defer-Length': Deferred.optional(),
		'Upload-Metadata': Metadata,
		'Upload-Checksum': Checksum,
	}),
	takesBytes: { ...bytes, optional: true },
	status: 201,
	answerHeaders: z.object({
		...progress,
		Location: z.string().meta({ description: 'The address of the upload' }),
	}),
	errors: ['forbidden', ...finishing],
})

export const inspectUpload = operation({
	id: 'inspectUpload',
	method: 'head',
	path: '/upload/videos/{uploadId}',
	tag,
	summary: 'How far an upload has come',
	description:
		'Whoever asks is about to go on: a request that is still sending to this upload is ended (423) and what it brought is counted.',
	auth: 'upload',
	anyOrigin: true,
	params: UploadParams,
	headers: z.object(sent),
	status: 200,
	answerHeaders: z.object({
		...progress,
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
	tag,
	summary: 'Send the next bytes of an upload',
	description:
		'409 when `Upload-Offset` is not how many bytes there are. Of a body that breaks off, what arrived is kept, unless it has a checksum.',
	auth: 'upload',
	anyOrigin: true,
	params: UploadParams,
	headers: z.object({
		...sent,
		'Upload-Offset': Offset,
		'Upload-Length': Length.optional().meta({ description: 'Once, where it was deferred' }),
		'Upload-Checksum': Checksum,
	}),
	takesBytes: bytes,
	status: 204,
	answerHeaders: z.object(progress),
	errors: finishing,
})

export const endUpload = operation({
	id: 'endUpload',
	method: 'delete',
	path: '/upload/videos/{uploadId}',
	tag,
	summary: 'Give an upload up',
	description: 'Whatever it brought is deleted. The source of an upload that was finished stays.',
	auth: 'upload',
	anyOrigin: true,
	params: UploadParams,
	headers: z.object(sent),
	status: 204,
	answerHeaders: z.object(always),
	errors: ['version_unsupported'],
})
