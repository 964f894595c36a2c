import { AwsV4Signer } from 'aws4fetch'
import { toHeaderText } from '../network/header-values.ts'
import type { BucketName } from './bucket.ts'

export const MAX_EXPIRES_SECONDS = 604_800

export type S3Access = {
	endpoint: string
	region: string
	accessKeyId: string
	secretAccessKey: string
	/** The names of the buckets in URLs. */
	bucketNames: Record<BucketName, string>
	/** aws4fetch caches each day's key here, so that further URLs cost only two HMACs. */
	signingKeys: Map<string, ArrayBuffer>
}

export type PresignRequest = {
	bucket: BucketName
	key: string
	method: 'GET' | 'HEAD' | 'PUT'
	expiresSeconds: number
	/** For PUT: the client must send exactly this value. Without it, the client may send any. */
	contentType?: string
	/** For PUT: like `contentType`. */
	cacheControl?: string
	/** For PUT: answers 412 if the object exists, so the URL works only once. */
	writeOnce?: boolean
	responseContentDisposition?: string
	responseContentType?: string
}

export type PresignPartRequest = Pick<PresignRequest, 'bucket' | 'key' | 'expiresSeconds'> & {
	uploadId: string
	partNumber: number
}

/** The request must send `headers` unchanged. */
export type Presigned = { method: string; url: string; headers: Record<string, string>; expiresAt: number }

export function presign(access: S3Access, request: PresignRequest, now: number): Promise<Presigned> {
	const query: Record<string, string> = {}
	if (request.responseContentDisposition !== undefined)
		query['response-content-disposition'] = toHeaderText(request.responseContentDisposition)
	if (request.responseContentType !== undefined)
		query['response-content-type'] = toHeaderText(request.responseContentType)
	const headers: Record<string, string> = {}
	if (request.contentType !== undefined) headers['content-type'] = toHeaderText(request.contentType)
	if (request.cacheControl !== undefined) headers['cache-control'] = toHeaderText(request.cacheControl)
	if (request.writeOnce) headers['if-none-match'] = '*'
	return signUrl(access, { ...request, query, headers }, now)
}

export function presignPart(access: S3Access, request: PresignPartRequest, now: number): Promise<Presigned> {
	const query = { partNumber: String(request.partNumber), uploadId: request.uploadId }
	return signUrl(access, { ...request, method: 'PUT', query, headers: {} }, now)
}

type AddressRequest = Pick<PresignRequest, 'bucket' | 'key' | 'expiresSeconds'> & {
	method: string
	query: Record<string, string>
	headers: Record<string, string>
}

export async function signUrl(access: S3Access, request: AddressRequest, now: number): Promise<Presigned> {
	const { method, expiresSeconds, headers } = request
	if (!Number.isInteger(expiresSeconds) || expiresSeconds < 1 || expiresSeconds > MAX_EXPIRES_SECONDS)
		throw new RangeError(`expiresSeconds must be 1 to ${MAX_EXPIRES_SECONDS}, not ${expiresSeconds}`)
	const url = buildObjectUrl(access, request.bucket, request.key)
	for (const [name, value] of Object.entries(request.query)) url.searchParams.set(name, value)
	url.searchParams.set('X-Amz-Expires', String(expiresSeconds))
	const signer = openSigner(access, { method, url, headers, datetime: amzDate(now) })
	const signed = await signer.sign()
	// aws4fetch encodes spaces in the query as "+", which some S3 servers don't decode. It encodes a real plus as %2B.
	const text = signed.url.href.replace(/\?.*$/s, (search) => search.replaceAll('+', '%20'))
	return { method, url: text, headers, expiresAt: Math.floor(now / 1000) * 1000 + expiresSeconds * 1000 }
}

/** Signing and verifying must use the same options, so both open their signer here. */
export const openSigner = (
	access: S3Access,
	request: { method: string; url: URL; headers: Record<string, string>; datetime: string },
): AwsV4Signer =>
	new AwsV4Signer({
		...request,
		url: request.url.href,
		service: 's3',
		region: access.region,
		accessKeyId: access.accessKeyId,
		secretAccessKey: access.secretAccessKey,
		signQuery: true,
		// By default aws4fetch does not sign content-type, so the client could send another one.
		allHeaders: true,
		cache: access.signingKeys,
	})

export const buildObjectUrl = (access: S3Access, bucket: BucketName, key: string): URL =>
	new URL(`${access.endpoint}/${access.bucketNames[bucket]}/${encodeKey(key)}`)

/** Percent-encodes each segment as SigV4 requires. Rejects "." and ".." segments, which URL parsers always remove. */
export function encodeKey(key: string): string {
	if (key === '' || !key.isWellFormed()) throw new RangeError('a key must be well-formed text and not empty')
	const segments = key.split('/')
	if (segments.some((segment) => segment === '.' || segment === '..'))
		throw new RangeError('a key must not have a "." or ".." segment')
	return segments
		.map((segment) =>
			encodeURIComponent(segment).replace(
				/[!'()*]/g,
				(c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
			),
		)
		.join('/')
}

const amzDate = (instant: number): string => new Date(instant).toISOString().replace(/[-:]|\.\d{3}/g, '')
