import type { Operation } from '#schema/contract/kit/operation.ts'
import { AppError } from '../errors.ts'

/** The advice after a rejected partial body. */
export const WHOLE_BODY_ADVICE =
	'send the whole body without Content-Range; to upload the source of an asset in parts, use TUS at /upload/videos'

/** A part of a body must never be stored as the whole (RFC 9110, section 14.5). */
export function refusePartialBody({ body, takesBytes, headers }: Operation, request: Request): void {
	if (!body && !takesBytes) return
	if (!request.headers.has('content-range') || (headers && 'Content-Range' in headers.shape)) return
	throw new AppError('malformed', `partial bodies are not accepted here; ${WHOLE_BODY_ADVICE}`)
}
