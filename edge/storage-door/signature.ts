import { equalText } from '../platform/digest.ts'
import type { BucketName } from '../platform/object-storage.ts'
import { addressOf, MAX_EXPIRES_SECONDS, openSigner, type S3Access } from '../platform/presign.ts'
import { S3Refusal } from './refusal.ts'

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
 * Checks the SigV4 signature of an address by signing it again. The address is built from what the door understood
 * (bucket and key, decoded) under the public base, so another spelling of the same key still fits, a proxy that
 * changes the host does no harm, and what was signed is what will be done.
 */
export async function verifySignature(
	accesses: readonly S3Access[],
	request: SignedRequest,
	now: number,
): Promise<void> {
	for (const access of accesses) if (await isSigned(access, request, now)) return
	throw new S3Refusal(
		'SignatureDoesNotMatch',
		'the signature is not the one for this method, address and headers',
	)
}

async function isSigned(access: S3Access, request: SignedRequest, now: number): Promise<boolean> {
	const query = readQuery(request.query)
	const { datetime } = checkCredential(access, query)
	checkTime(datetime, query('X-Amz-Expires'), now)
	const headers = signedHeaders(query('X-Amz-SignedHeaders'), request.headers)
	refuseUnsigned(request.headers, headers)

	const signature = query('X-Amz-Signature')
	const url = addressOf(access, request.bucket, request.key)
	for (const [name, value] of request.query) if (name !== 'X-Amz-Signature') url.searchParams.set(name, value)
	const expected = await openSigner(access, { method: request.method, url, headers, datetime }).signature()
	return equalText(expected, signature)
}

function readQuery(query: URLSearchParams): (name: string) => string {
	const names = new Set<string>()
	for (const name of query.keys()) {
		// aws4fetch signs the first of twins only, and leaves out what has no name.
		if (name === '' || names.has(name))
			throw new S3Refusal('InvalidArgument', 'a query parameter has no name, or stands there twice')
		names.add(name)
	}
	if (!names.has('X-Amz-Signature')) throw new S3Refusal('AccessDenied', 'only signed addresses are answered')
	if (names.has('X-Amz-Security-Token')) throw malformed('there are no session tokens here')
	return (name) => {
		const value = query.get(name)
		if (value === null) throw malformed(`${name} is missing`)
		return value
	}
}

const malformed = (message: string) => new S3Refusal('AuthorizationQueryParametersError', message)

function checkCredential(access: S3Access, query: (name: string) => string): { datetime: string } {
	if (query('X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256')
		throw malformed('X-Amz-Algorithm must be AWS4-HMAC-SHA256')
	const datetime = query('X-Amz-Date')
	const [accessKeyId, ...scope] = query('X-Amz-Credential').split('/')
	if (accessKeyId !== access.accessKeyId)
		throw new S3Refusal('InvalidAccessKeyId', 'nobody has this access key id')
	if (scope.join('/') !== `${datetime.slice(0, 8)}/${access.region}/s3/aws4_request`)
		throw malformed(`X-Amz-Credential must be for this day, region ${access.region} and s3`)
	return { datetime }
}

function checkTime(datetime: string, expires: string, now: number): void {
	const signedAt = Date.parse(
		datetime.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
	)
	if (!/^\d{8}T\d{6}Z$/.test(datetime) || Number.isNaN(signedAt))
		throw malformed('X-Amz-Date must be like 20261231T235959Z')
	if (!/^[1-9]\d{0,5}$/.test(expires) || Number(expires) > MAX_EXPIRES_SECONDS)
		throw malformed(`X-Amz-Expires must be 1 to ${MAX_EXPIRES_SECONDS} seconds`)
	if (signedAt > now + SKEW_MS) throw new S3Refusal('RequestTimeTooSkewed', 'the address is not valid yet')
	if (signedAt + Number(expires) * 1000 <= now)
		throw new S3Refusal('ExpiredRequest', 'the address has expired')
}

/** Every header that was signed, as this request has it. `host` is the public base's, whatever a proxy made of it. */
function signedHeaders(list: string, headers: Headers): Record<string, string> {
	const names = list.split(';')
	const isCanonical = names.every(
		(name, i) => /^[a-z0-9-]+$/.test(name) && (i === 0 || (names[i - 1] ?? '') < name),
	)
	if (!isCanonical || !names.includes('host'))
		throw malformed('X-Amz-SignedHeaders must name host, in small letters, sorted, each once')
	const found: Record<string, string> = {}
	for (const name of names) {
		if (name === 'host') continue
		const value = headers.get(name)
		if (value === null) throw new S3Refusal('AccessDenied', `the signed header ${name} was not sent`)
		found[name] = value
	}
	return found
}

/** S3's rule: what it acts on must be signed. Of the others, an uploader may choose content-type and the like. */
function refuseUnsigned(headers: Headers, signed: Record<string, string>): void {
	for (const [name, value] of headers) {
		if (name === 'x-amz-content-sha256') {
			if (value !== 'UNSIGNED-PAYLOAD')
				throw new S3Refusal('NotImplemented', 'payloads are not signed here: UNSIGNED-PAYLOAD')
		} else if (name.startsWith('x-amz-') && !(name in signed))
			throw new S3Refusal('AccessDenied', `the header ${name} was sent but not signed`)
	}
}
