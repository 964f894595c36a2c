import type { Bucket, GetAnswer, ObjectHead } from './bucket.ts'
import { evaluateConditions, parseRange } from './http-conditions.ts'

/**
 * Answers GET and HEAD with an object according to RFC 9110: conditions first, then the range. Returns null if there
 * is none. Only 200 and 206 have a body. `labels` override the stored headers.
 */
export async function answerWithObject(
	request: Request,
	bucket: Bucket,
	key: string,
	labels: Record<string, string> = {},
): Promise<Response | null> {
	if (request.method === 'HEAD') {
		const object = await bucket.head(key)
		if (!object) return null
		const verdict = evaluateConditions(request.headers, object)
		if (verdict !== 'go') return responseWithoutBody(verdict, object, labels)
		return new Response(null, {
			headers: { ...headersOf(object, labels), 'content-length': String(object.sizeBytes) },
		})
	}

	const answer = await getRequestedRange(request.headers, bucket, key)
	if (answer.state === 'missing') return null
	const { object } = answer
	const verdict = evaluateConditions(request.headers, object)
	if (verdict !== 'go' || answer.state !== 'found') {
		if (answer.state === 'found') await answer.body.cancel()
		return responseWithoutBody(verdict === 'go' ? 'unsatisfiable' : verdict, object, labels)
	}
	const { offset, length } = answer.range
	return new Response(answer.body, {
		status: answer.ranged ? 206 : 200,
		headers: {
			...headersOf(object, labels),
			'content-length': String(length),
			...(answer.ranged && { 'content-range': `bytes ${offset}-${offset + length - 1}/${object.sizeBytes}` }),
		},
	})
}

/** Answers with an object whose bytes are in memory. Ignores ranges, as RFC 9110 allows. */
export function answerWithBytes(
	request: Request,
	{ object, bytes }: { object: ObjectHead; bytes: Uint8Array<ArrayBuffer> },
	labels: Record<string, string>,
): Response {
	const verdict = evaluateConditions(request.headers, object)
	if (verdict !== 'go') return responseWithoutBody(verdict, object, labels)
	return new Response(request.method === 'HEAD' ? null : bytes, {
		headers: { ...headersOf(object, labels), 'content-length': String(bytes.length) },
	})
}

type RangedAnswer = GetAnswer extends infer A
	? A extends { state: 'found' }
		? A & { ranged: boolean }
		: A
	: never

/** Gets the requested range. With `If-Range`, gets the whole object unless it is unchanged. */
async function getRequestedRange(headers: Headers, bucket: Bucket, key: string): Promise<RangedAnswer> {
	const range = parseRange(headers.get('range'))
	const ifRange = headers.get('if-range')
	// A date or a weak tag can't distinguish two versions from the same second.
	const etag = ifRange === null ? null : (/^"([^"]*)"$/.exec(ifRange.trim())?.[1] ?? '')
	if (range && etag !== '') {
		const answer = await bucket.get(key, { range, ...(etag !== null && { onlyIf: { etag } }) })
		if (answer.state === 'found') return { ...answer, ranged: true }
		if (answer.state !== 'condition-failed') return answer
	}
	const answer = await bucket.get(key)
	return answer.state === 'found' ? { ...answer, ranged: false } : answer
}

const headersOf = (object: ObjectHead, labels: Record<string, string>): Record<string, string> => ({
	'content-type': object.contentType ?? 'application/octet-stream',
	// By default only the client may cache an object, and must revalidate it each time.
	'cache-control': object.cacheControl ?? 'private, no-cache',
	...(object.contentDisposition !== null && { 'content-disposition': object.contentDisposition }),
	etag: `"${object.etag}"`,
	'last-modified': new Date(object.uploadedAt).toUTCString(),
	'accept-ranges': 'bytes',
	...labels,
})

const statuses = { unchanged: 304, failed: 412, unsatisfiable: 416 } as const

function responseWithoutBody(
	reason: keyof typeof statuses,
	object: ObjectHead,
	labels: Record<string, string>,
): Response {
	const status = statuses[reason]
	if (reason === 'failed') return new Response(null, { status })
	if (reason === 'unsatisfiable')
		return new Response(null, {
			status,
			headers: { 'content-range': `bytes */${object.sizeBytes}`, 'accept-ranges': 'bytes' },
		})
	const headers = new Headers(headersOf(object, labels))
	headers.delete('content-type')
	headers.delete('content-disposition')
	return new Response(null, { status, headers })
}
