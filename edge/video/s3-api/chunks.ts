import type { ErrorCode } from '#schema/contract/kit/problem.ts'
import type { AppError } from '../../http/errors.ts'
import { readContentLength } from '../../http/headers.ts'
import type { Deps } from '../../platform/deps.ts'
import type { BucketName } from '../../platform/storage/bucket.ts'
import { receivePresignedChunk } from '../uploads/chunks/presigned-chunks.ts'
import { type S3Code, S3Error } from './errors.ts'
import { readMeasuredBody, rejectMd5 } from './objects.ts'

/** S3 ignores `Content-Range` and would store a part as the whole object. */
export const isChunkUpload = ({ method, headers }: Request): boolean =>
	(method === 'PUT' || method === 'POST') && headers.has('content-range')

type Target = { bucket: BucketName; key: string; isExpired: boolean; operation: string }

export async function writeChunk(
	deps: Pick<Deps, 'env' | 'now' | 'db'>,
	{ bucket, key, isExpired, operation }: Target,
	request: Request,
): Promise<Response> {
	const { headers } = request
	// A request for the stored range has no body, and with some clients no length.
	const bodyBytes = readContentLength(headers)
	if (bodyBytes !== null) readMeasuredBody(request)
	if (headers.has('if-none-match') || headers.has('if-match'))
		throw new S3Error('NotImplemented', 'conditions need the whole file in one request')
	rejectMd5(headers)
	const isWhole = operation === 'PUT' && bucket === 'vault'
	const upload = { key: isWhole ? key : null, isExpired }
	return receivePresignedChunk(deps, upload, request, bodyBytes)
}

const codes: Partial<Record<ErrorCode, S3Code>> = {
	malformed: 'InvalidRequest',
	forbidden: 'ExpiredRequest',
	plan_limit: 'AccessDenied',
	not_found: 'NoSuchKey',
	conflict: 'OperationAborted',
	gone: 'NoSuchUpload',
	not_configured: 'NotImplemented',
	unavailable: 'ServiceUnavailable',
	insufficient_storage: 'InsufficientStorage',
}

/** Converts an error of a chunked upload to an S3 error. */
export const toChunkError = ({ code, message }: AppError): S3Error =>
	new S3Error(codes[code] ?? 'InvalidRequest', message)
