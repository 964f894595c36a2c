import { cancelUnreadBody } from '../../http/body/unread-body.ts'
import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import {
	listAcceptedAccesses,
	openObjectStorage,
	readS3Access,
} from '../../platform/storage/object-storage.ts'
import { type RefusalReason, StorageRefusal } from '../../platform/storage/storage-errors.ts'
import { CONTINUES_MS } from '../uploads/chunks/presigned-chunks.ts'
import { parseObjectPath } from './address.ts'
import { isChunkUpload, toChunkError, writeChunk } from './chunks.ts'
import { addSecurityHeaders, answerPreflight } from './cors.ts'
import { errorResponse, type S3Code, S3Error } from './errors.ts'
import { abortUpload, completeUpload, createUpload, writePart } from './multipart.ts'
import { readObject, writeObject } from './objects.ts'
import { verifySignature } from './signature.ts'

type S3Deps = Pick<Deps, 'env' | 'secrets' | 'now' | 'log' | 'db'>

/** The path of this API; `edge/app.ts` routes everything under `/s3/` here. */
export const S3_API_PATH = '/s3/*'

/**
 * Serves a small S3 API for installations without S3 credentials: presigned GET, HEAD, PUT and multipart uploads. With
 * credentials, clients use the S3 API of the buckets and this one is disabled.
 */
export async function answerS3(request: Request, deps: S3Deps): Promise<Response> {
	const response = addSecurityHeaders(await answer(request, deps))
	return request.method === 'HEAD' ? new Response(null, response) : response
}

async function answer(request: Request, deps: S3Deps): Promise<Response> {
	try {
		const { origin, pathname, searchParams } = new URL(request.url)
		const accesses = readS3Access(deps.env) ? [] : await listAcceptedAccesses(deps.env, deps.secrets, origin)
		if (accesses.length === 0) throw new S3Error('NotFound', 'the S3 API is disabled')
		if (request.method === 'OPTIONS') return answerPreflight(request)
		const address = parseObjectPath(pathname)
		const isPart = isChunkUpload(request)
		const { isExpired } = await verifySignature(
			accesses,
			{ method: request.method, ...address, query: searchParams, headers: request.headers },
			deps.now,
			isPart ? CONTINUES_MS : 0,
		)
		const operation = operationOf(request, searchParams)
		if (isPart) return await writeChunk(deps, { ...address, isExpired, operation }, request)
		const bucket = openObjectStorage(deps.env, deps.secrets, origin, deps.now)[address.bucket]
		const target = { bucket, bucketName: address.bucket, key: address.key }
		return await perform(request, operation, target, searchParams)
	} catch (error) {
		await cancelUnreadBody(request)
		return errorResponse(toS3Error(error, deps))
	}
}

type Target = Parameters<typeof createUpload>[1]

const operationParams = (query: URLSearchParams): string[] =>
	[...query.keys()].filter((name) => !name.startsWith('X-Amz-') && name !== 'x-id').sort()

const operationOf = ({ method }: Request, query: URLSearchParams): string =>
	[method, ...operationParams(query)].join(' ')

async function perform(
	request: Request,
	operation: string,
	target: Target,
	query: URLSearchParams,
): Promise<Response> {
	const { bucket, key } = target
	const uploadId = query.get('uploadId') ?? ''
	switch (operation) {
		case 'PUT':
			return writeObject(request, bucket, key)
		case 'POST uploads':
			return createUpload(request, target)
		case 'PUT partNumber uploadId':
			return writePart(request, target, uploadId, query.get('partNumber') ?? '')
		case 'POST uploadId':
			return completeUpload(request, target, uploadId)
		case 'DELETE uploadId':
			return abortUpload(target, uploadId)
	}
	const isRead = request.method === 'GET' || request.method === 'HEAD'
	if (
		isRead &&
		operationParams(query).every(
			(name) => name === 'response-content-type' || name === 'response-content-disposition',
		)
	)
		return readObject(request, bucket, key, query)
	// Unknown parameters must not be ignored: `PUT ?acl` must not write an object.
	throw new S3Error('NotImplemented', `"${operation}" is not supported`)
}

const codes: Record<RefusalReason, S3Code> = {
	'no-such-upload': 'NoSuchUpload',
	'invalid-part': 'InvalidPart',
	'bad-digest': 'BadDigest',
	'part-too-small': 'EntityTooSmall',
	'unequal-parts': 'InvalidPart',
	'invalid-key': 'KeyTooLongError',
	'labels-too-large': 'MetadataTooLarge',
	'too-large': 'EntityTooLarge',
	'too-often': 'SlowDown',
	'disk-full': 'InsufficientStorage',
}

function toS3Error(error: unknown, deps: Pick<S3Deps, 'log'>): S3Error {
	if (error instanceof S3Error) return error
	if (error instanceof AppError) return toChunkError(error)
	if (error instanceof StorageRefusal) return new S3Error(codes[error.reason], error.message)
	deps.log.error('S3 API request failed', error)
	return new S3Error('InternalError', 'something went wrong on our side; try again')
}
