import type { BucketName } from '../../platform/storage/bucket.ts'
import {
	buildObjectUrl,
	MAX_EXPIRES_SECONDS,
	openSigner,
	type S3Access,
} from '../../platform/storage/presign.ts'
import { isEqualText } from '../../platform/tokens/digest.ts'
import { S3Error } from './errors.ts'

/** How far ahead the signer's clock may be. */
const SKEW_MS = 15 * 60_000

export type SignedRequest = {
	method: string
	bucket: BucketName
	key: string
	query: URLSearchParams
	headers: Headers
}

/**
 * Checks the SigV4 signature of a URL by signing it again. The URL is rebuilt from the parsed bucket and key and the
 * public base URL. Other encodings of the same key and proxies that change the host therefore still verify, and the
 * signature covers exactly the operation that runs.
 */
export async function verifySignature(
	accesses: readonly S3Access[],
	request: SignedRequest,
	now: number,
	/** How long after its expiry a URL is still accepted. */
	graceMs = 0,
): Promise<{ isExpired: boolean }> {
	for (const access of accesses) {
		const signed = await readSigned(access, request, now, graceMs)
		if (signed) return signed
	}
	throw new S3Error('SignatureDoesNotMatch', 'the signature does not match this method, URL and headers')
}

async function readSigned(
	access: S3Access,
	request: SignedRequest,
	now: number,
	graceMs: number,
): Promise<{ isExpired: boolean } | null> {
	const query = readQuery(request.query)
	const { datetime } = checkCredential(access, query)
	const expiresAt = checkTime(datetime, query('X-Amz-Expires'), now)
	if (expiresAt + graceMs <= now)
		throw new S3Error('ExpiredRequest', 'the URL has expired; request a new one')
	const headers = signedHeaders(query('X-Amz-SignedHeaders'), request.headers)
	requireSigned(request.headers, headers)

	const signature = query('X-Amz-Signature')
	const url = buildObjectUrl(access, request.bucket, request.key)
	for (const [name, value] of request.query) if (name !== 'X-Amz-Signature') url.searchParams.set(name, value)
	const expected = await openSigner(access, { method: request.method, url, headers, datetime }).signature()
	return (await isEqualText(expected, signature)) ? { isExpired: expiresAt <= now } : null
}

function readQuery(query: URLSearchParams): (name: string) => string {
	const names = new Set<string>()
	for (const name of query.keys()) {
		// aws4fetch signs only the first of duplicate parameters and skips parameters without a name.
		if (name === '' || names.has(name))
			throw new S3Error('InvalidArgument', 'a query parameter has no name or occurs twice')
		names.add(name)
	}
	if (!names.has('X-Amz-Signature'))
		throw new S3Error('AccessDenied', 'the URL is not signed; request a presigned URL')
	if (names.has('X-Amz-Security-Token')) throw malformedQueryError('session tokens are not supported')
	return (name) => {
		const value = query.get(name)
		if (value === null) throw malformedQueryError(`${name} is missing`)
		return value
	}
}

const malformedQueryError = (message: string) => new S3Error('AuthorizationQueryParametersError', message)

function checkCredential(access: S3Access, query: (name: string) => string): { datetime: string } {
	if (query('X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256')
		throw malformedQueryError('X-Amz-Algorithm must be AWS4-HMAC-SHA256')
	const datetime = query('X-Amz-Date')
	const [accessKeyId, ...scope] = query('X-Amz-Credential').split('/')
	if (accessKeyId !== access.accessKeyId) throw new S3Error('InvalidAccessKeyId', 'unknown access key id')
	if (scope.join('/') !== `${datetime.slice(0, 8)}/${access.region}/s3/aws4_request`)
		throw malformedQueryError(
			`X-Amz-Credential must be for the day of X-Amz-Date, region ${access.region} and s3`,
		)
	return { datetime }
}

/** Returns when the URL expires. */
function checkTime(datetime: string, expires: string, now: number): number {
	const signedAt = Date.parse(
		datetime.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
	)
	if (!/^\d{8}T\d{6}Z$/.test(datetime) || Number.isNaN(signedAt))
		throw malformedQueryError('X-Amz-Date must be like 20261231T235959Z')
	if (!/^[1-9]\d{0,5}$/.test(expires) || Number(expires) > MAX_EXPIRES_SECONDS)
		throw malformedQueryError(`X-Amz-Expires must be 1 to ${MAX_EXPIRES_SECONDS} seconds`)
	if (signedAt > now + SKEW_MS)
		throw new S3Error('RequestTimeTooSkewed', 'the URL is not valid yet; check the clock of the signer')
	return signedAt + Number(expires) * 1000
}

/** Returns the signed headers of this request without `host`, which is taken from the public base URL. */
function signedHeaders(list: string, headers: Headers): Record<string, string> {
	const names = list.split(';')
	const isCanonical = names.every(
		(name, i) => /^[a-z0-9-]+$/.test(name) && (i === 0 || (names[i - 1] ?? '') < name),
	)
	if (!isCanonical || !names.includes('host'))
		throw malformedQueryError(
			'X-Amz-SignedHeaders must name host, in lower case, sorted and without duplicates',
		)
	const found: Record<string, string> = {}
	for (const name of names) {
		if (name === 'host') continue
		const value = headers.get(name)
		if (value === null) throw new S3Error('AccessDenied', `the signed header ${name} was not sent`)
		found[name] = value
	}
	return found
}

/** Requires a signature on every `x-amz-` header, as S3 does. Headers such as content-type may be unsigned. */
function requireSigned(headers: Headers, signed: Record<string, string>): void {
	for (const [name, value] of headers) {
		if (name === 'x-amz-content-sha256') {
			if (value !== 'UNSIGNED-PAYLOAD')
				throw new S3Error('NotImplemented', 'signed payloads are not supported; send UNSIGNED-PAYLOAD')
		} else if (name.startsWith('x-amz-') && !(name in signed))
			throw new S3Error('AccessDenied', `the header ${name} was sent but not signed`)
	}
}
