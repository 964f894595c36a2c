import type { Bucket, ObjectLabels } from '../../platform/storage/bucket.ts'
import { answerWithObject } from '../../platform/storage/object-response.ts'
import { fromBase64 } from '../../platform/tokens/digest.ts'
import { errorResponse, S3Error } from './errors.ts'

/** R2's limit for a single write: 5 GiB minus 5 MiB. */
const MAX_WRITE_BYTES = 5 * 1024 ** 3 - 5 * 1024 ** 2

export async function readObject(
	request: Request,
	bucket: Bucket,
	key: string,
	query: URLSearchParams,
): Promise<Response> {
	const labels: Record<string, string> = {}
	for (const name of ['content-type', 'content-disposition']) {
		const value = query.get(`response-${name}`)
		if (value !== null && !/^[\x20-\x7e]*$/.test(value))
			throw new S3Error('InvalidArgument', `response-${name} must be printable ASCII`)
		if (value) labels[name] = value
	}
	const response = await answerWithObject(request, bucket, key, labels)
	if (!response) throw new S3Error('NoSuchKey', 'no such key')
	if (response.status === 412)
		return errorResponse(
			new S3Error('PreconditionFailed', 'a condition of the request is not met'),
			response.headers,
		)
	if (response.status === 416)
		return errorResponse(
			new S3Error('InvalidRange', 'the range starts after the end of the object'),
			response.headers,
		)
	return response
}

export async function writeObject(request: Request, bucket: Bucket, key: string): Promise<Response> {
	const body = readMeasuredBody(request)
	const onlyIf = writeCondition(request.headers)
	const md5 = readMd5(request.headers)
	const labels = readObjectLabels(request.headers)
	const object = await bucket.put(key, body, { ...labels, ...(onlyIf && { onlyIf }), ...(md5 && { md5 }) })
	if (!object)
		throw new S3Error('PreconditionFailed', 'the key already exists, or its etag is not the one in if-match')
	return new Response(null, { headers: { etag: `"${object.etag}"` } })
}

function readMd5(headers: Headers): Uint8Array<ArrayBuffer> | null {
	const text = headers.get('content-md5')
	if (text === null) return null
	if (!/^[A-Za-z0-9+/]{22}==$/.test(text))
		throw new S3Error('InvalidDigest', 'content-md5 must be 16 bytes in Base64')
	return fromBase64(text)
}

/**
 * The bucket checks only digests of whole objects, so a digest of a part or chunk is rejected rather than ignored.
 */
export function rejectMd5(headers: Headers): void {
	if (headers.has('content-md5'))
		throw new S3Error('NotImplemented', 'content-md5 is supported only for whole objects')
}

/** Returns the body as a stream, after checking its declared length. */
export function readMeasuredBody(request: Request): ReadableStream | string {
	const { headers, body } = request
	if (headers.has('x-amz-copy-source'))
		throw new S3Error('NotImplemented', 'copying objects is not supported')
	// The stored bytes would be served without the encoding, so an encoded body is rejected.
	if ((headers.get('content-encoding') ?? 'identity') !== 'identity')
		throw new S3Error('NotImplemented', 'send the body without a content-encoding')
	const length = headers.get('content-length')
	if (length === null || !/^\d+$/.test(length))
		throw new S3Error('MissingContentLength', 'send a content-length')
	if (Number(length) > MAX_WRITE_BYTES)
		throw new S3Error(
			'EntityTooLarge',
			`at most ${MAX_WRITE_BYTES} bytes are allowed in one request; use a multipart upload for larger objects`,
		)
	return body ?? ''
}

export function readObjectLabels(headers: Headers): ObjectLabels {
	const contentType = headers.get('content-type')
	const cacheControl = headers.get('cache-control')
	const contentDisposition = headers.get('content-disposition')
	return {
		...(contentType && { contentType }),
		...(cacheControl && { cacheControl }),
		...(contentDisposition && { contentDisposition }),
	}
}

function writeCondition(headers: Headers): 'absent' | { etag: string } | null {
	const noneMatch = headers.get('if-none-match')
	const match = headers.get('if-match')
	if (noneMatch === null && match === null) return null
	if (noneMatch === '*' && match === null) return 'absent'
	const etag = noneMatch === null ? /^"([^"]+)"$/.exec(match ?? '')?.[1] : undefined
	if (!etag) throw new S3Error('NotImplemented', 'writes support only if-none-match: * and if-match: "etag"')
	return { etag }
}
