import { MAX_DIRECT_BYTES } from '#schema/contract/video/uploads.ts'
import { WHOLE_BODY_ADVICE } from '../../../http/body/partial-body.ts'
import { AppError } from '../../../http/errors.ts'

/** A chunk of a file; `bytes` 0 asks for the stored range. */
export type ContentRange = {
	start: number
	bytes: number
	/** Null only when asking. */
	totalBytes: number | null
}

const CHUNK = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16})$/i
const QUESTION = /^bytes \*\/(?:(\d{1,16})|\*)$/i

/** Reads `Content-Range`; returns null for a request with a whole body. */
export function readContentRange(headers: Headers, bodyBytes: number | null): ContentRange | null {
	const text = headers.get('content-range')
	if (text === null) return null
	const question = QUESTION.exec(text)
	if (question) {
		if (bodyBytes !== null && bodyBytes > 0)
			throw refusedRangeError('"bytes */…" requests the stored range and takes no body')
		return { start: 0, bytes: 0, totalBytes: question[1] === undefined ? null : Number(question[1]) }
	}
	const chunk = CHUNK.exec(text)
	if (!chunk) throw refusedRangeError('it must be like "bytes 0-1048575/5000000"')
	if (bodyBytes === null) throw refusedRangeError('the request needs a Content-Length')
	const [start = 0, last = 0, totalBytes = 0] = chunk.slice(1).map(Number)
	const bytes = last - start + 1
	if (bytes < 1 || last >= totalBytes) throw refusedRangeError('the range must lie within the file')
	if (bytes !== bodyBytes) throw refusedRangeError(`the body has ${bodyBytes} bytes, the range ${bytes}`)
	if (totalBytes > MAX_DIRECT_BYTES)
		throw new AppError(
			'malformed',
			`Content-Range: the file is larger than ${MAX_DIRECT_BYTES} bytes; use TUS at /upload/videos`,
		)
	return { start, bytes, totalBytes }
}

const refusedRangeError = (problem: string) =>
	new AppError('malformed', `Content-Range: ${problem}; ${WHOLE_BODY_ADVICE}`)
