import {
	describeUploads,
	TUS_CHECKSUMS,
	TUS_EXTENSIONS,
	TUS_MEDIA_TYPE,
	TUS_VERSION,
} from '#schema/contract/video/resumable-uploads.ts'
import { MAX_RESUMABLE_BYTES } from '#schema/contract/video/uploads.ts'
import { AppError } from '../../../http/errors.ts'
import type { UploadRecord } from './upload-ledger.ts'

export const TUS_PATH = describeUploads.path

const OVERRIDABLE = ['OPTIONS', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Returns the request with the method of `X-HTTP-Method-Override`, or null if it has no such header. */
export function applyMethodOverride(request: Request): Request | null {
	const method = request.headers.get('x-http-method-override')?.toUpperCase()
	if (!method || !OVERRIDABLE.includes(method)) return null
	const headers = new Headers(request.headers)
	headers.delete('x-http-method-override')
	const takesBody = method !== 'GET' && method !== 'HEAD'
	return new Request(request.url, { method, headers, body: takesBody ? request.body : null })
}

/** Adds the headers that tus requires on every response, including errors of any origin. */
export function addTusHeaders(headers: Headers): void {
	headers.set('tus-resumable', TUS_VERSION)
}

export function requireVersion(request: Request): void {
	if (request.headers.get('tus-resumable') === TUS_VERSION) return
	throw new AppError('version_unsupported', `send Tus-Resumable: ${TUS_VERSION}`, {
		headers: { 'tus-version': TUS_VERSION },
	})
}

/** Checks the media type. The tus specification allows no parameters here. */
export const isTusBody = (request: Request): boolean =>
	request.headers.get('content-type')?.toLowerCase() === TUS_MEDIA_TYPE

export const uploadOptions = {
	'tus-version': TUS_VERSION,
	'tus-extension': TUS_EXTENSIONS.join(','),
	'tus-max-size': String(MAX_RESUMABLE_BYTES),
	'tus-checksum-algorithm': TUS_CHECKSUMS.join(','),
}

const httpDate = (instant: number) => new Date(instant).toUTCString()

export function setProgressHeaders(headers: Headers, record: UploadRecord): void {
	headers.set('upload-offset', String(record.offset))
	if (!record.isFinished) headers.set('upload-expires', httpDate(record.expiresAt))
}

export function setUploadHeaders(headers: Headers, record: UploadRecord): void {
	setProgressHeaders(headers, record)
	if (record.lengthBytes === null) headers.set('upload-defer-length', '1')
	else headers.set('upload-length', String(record.lengthBytes))
	headers.set('upload-metadata', record.metadata)
}
