import type { Deps } from '../platform/deps.ts'
import { acceptedAccesses, openObjectStorage, s3Access } from '../platform/object-storage.ts'
import { type RefusalReason, StorageRefusal } from '../platform/storage-errors.ts'
import { readAddress } from './address.ts'
import { guard, preflight } from './cors.ts'
import { abortUpload, completeUpload, createUpload, writePart } from './multipart.ts'
import { readObject, writeObject } from './objects.ts'
import { refusalResponse, type S3Code, S3Refusal } from './refusal.ts'
import { verifySignature } from './signature.ts'

/** Opening addresses of the Worker's own S3 door; `edge/app.ts` hands it everything under `/s3/`. */
export const STORAGE_DOOR_PATH = '/s3/*'

/**
 * A small S3 for installations without S3 credentials: presigned GET, HEAD, PUT and multipart uploads. With
 * credentials the buckets' own door is used, and this one is closed.
 */
export async function s3Door(
	request: Request,
	deps: Pick<Deps, 'env' | 'secrets' | 'now' | 'log'>,
): Promise<Response> {
	const response = guard(await answer(request, deps))
	return request.method === 'HEAD' ? new Response(null, response) : response
}

async function answer(
	request: Request,
	deps: Pick<Deps, 'env' | 'secrets' | 'now' | 'log'>,
): Promise<Response> {
	try {
		const { origin, pathname, searchParams } = new URL(request.url)
		const accesses = s3Access(deps.env) ? [] : await acceptedAccesses(deps.env, deps.secrets, origin)
		if (accesses.length === 0) throw new S3Refusal('NotFound', 'there is no S3 here')
		if (request.method === 'OPTIONS') return preflight(request)
		const address = readAddress(pathname)
		await verifySignature(
			accesses,
			{ method: request.method, ...address, query: searchParams, headers: request.headers },
			deps.now,
		)
		const bucket = openObjectStorage(deps.env, deps.secrets, origin, deps.now)[address.bucket]
		return await perform(request, { bucket, bucketName: address.bucket, key: address.key }, searchParams)
	} catch (error) {
		// Unread, a body would keep the connection busy.
		if (request.body && !request.bodyUsed) await request.body.cancel().catch(() => {})
		return refusalResponse(asRefusal(error, deps))
	}
}

type Target = Parameters<typeof createUpload>[1]

async function perform(request: Request, target: Target, query: URLSearchParams): Promise<Response> {
	const { bucket, key } = target
	const asked = [...query.keys()].filter((name) => !name.startsWith('X-Amz-') && name !== 'x-id').sort()
	const operation = `${request.method} ${asked.join(' ')}`.trimEnd()
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
		asked.every((name) => name === 'response-content-type' || name === 'response-content-disposition')
	)
		return readObject(request, bucket, key, query)
	// Above all not taken for the plain one: `PUT ?acl` must not write an object.
	throw new S3Refusal('NotImplemented', `there is no "${operation}" here`)
}

const codes: Record<RefusalReason, S3Code> = {
	'no-such-upload': 'NoSuchUpload',
	'invalid-part': 'InvalidPart',
	'part-too-small': 'EntityTooSmall',
	'unequal-parts': 'InvalidPart',
	'invalid-key': 'KeyTooLongError',
	'labels-too-large': 'MetadataTooLarge',
	'too-large': 'EntityTooLarge',
	'too-often': 'SlowDown',
}

function asRefusal(error: unknown, deps: Pick<Deps, 'log'>): S3Refusal {
	if (error instanceof S3Refusal) return error
	if (error instanceof StorageRefusal) return new S3Refusal(codes[error.reason], error.message)
	deps.log.error('storage door failed', error)
	return new S3Refusal('InternalError', 'something went wrong on our side; try again')
}
