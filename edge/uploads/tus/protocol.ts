import {
	describeUploads,
	TUS_CHECKSUMS,
	TUS_EXTENSIONS,
	TUS_MEDIA_TYPE,
	TUS_VERSION,
} from '#schema/contract/resumable-uploads.ts'
import { MAX_RESUMABLE_BYTES } from '#schema/contract/uploads.ts'
import { AppError } from '../../http/errors.ts'
import type { UploadRecord } from './upload-ledger.ts'

export const TUS_PATH = describeUploads.path

const OVERRIDABLE = ['OPTIONS', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The request that `X-HTTP-Method-Override` makes of this one; null when there is no such header. */
export function asOverridden(request: Request): Request | null {
	const method = request.headers.get('x-http-method-override')?.toUpperCase()
	if (!method || !OVERRIDABLE.includes(method)) return null
	const headers = new Headers(request.headers)
	headers.delete('x-http-method-override')
	const takesBody = method !== 'GET' && method !== 'HEAD'
	return new Request(request.url, { method, headers, body: takesBody ? request.body : null })
}

/** What every answer of the protocol needs, refusals of whatever origin included. */
export async function rounded(request: Request, headers: Headers): Promise<void> {
	headers.set('tus-resumable', TUS_VERSION)
	// Left unread, a body keeps the connection busy.
	if (!request.bodyUsed) await request.body?.cancel().catch(() => undefined)
}

export function requireVersion(request: Request): void {
	if (request.headers.get('tus-resumable') === TUS_VERSION) return
	throw new AppError('version_unsupported', `send Tus-Resumable: ${TUS_VERSION}`, {
		headers: { 'tus-version': TUS_VERSION },
	})
}

/** Types have no parameters here: the protocol names this one, letter by letter. */
export const isTusBody = (request: Request): boolean =>
	request.headers.get('content-type')?.toLowerCase() === TUS_MEDIA_TYPE

/** Of a body; null if its sender did not say. */
export function bodyBytesOf(request: Request): number | null {
	const length = request.headers.get('content-length')
	return length === null ? null : Number(length)
}

export const description = {
	'tus-version': TUS_VERSION,
	'tus-extension': TUS_EXTENSIONS.join(','),
	'tus-max-size': String(MAX_RESUMABLE_BYTES),
	'tus-checksum-algorithm': TUS_CHECKSUMS.join(','),
}

const httpDate = (instant: number) => new Date(instant).toUTCString()

export function showProgress(headers: Headers, record: UploadRecord): void {
	headers.set('upload-offset', String(record.offset))
	if (!record.isFinished) headers.set('upload-expires', httpDate(record.expiresAt))
}

export function showUpload(headers: Headers, record: UploadRecord): void {
	showProgress(headers, record)
	if (record.lengthBytes === null) headers.set('upload-defer-length', '1')
	else headers.set('upload-length', String(record.lengthBytes))
	headers.set('upload-metadata', record.metadata)
}
