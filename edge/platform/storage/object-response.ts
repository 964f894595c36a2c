import type { Bucket, GetAnswer, ObjectHead } from './bucket.ts'
import { judgeConditions, parseRange } from './http-conditions.ts'

/**
 * Answers GET and HEAD with an object as RFC 9110 has it: conditions first, then one range. `null`: no such object.
 * What is not 200 or 206 has no body. `labels` go over what is stored with the object.
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
		const verdict = judgeConditions(request.headers, object)
		if (verdict !== 'go') return refuse(verdict, object, labels)
		return new Response(null, {
			headers: { ...headersOf(object, labels), 'content-length': String(object.sizeBytes) },
		})
	}

	const answer = await getAsAsked(request.headers, bucket, key)
	if (answer.state === 'missing') return null
	const { object } = answer
	const verdict = judgeConditions(request.headers, object)
	if (verdict !== 'go' || answer.state !== 'found') {
		if (answer.state === 'found') await answer.body.cancel()
		return refuse(verdict === 'go' ? 'unsatisfiable' : verdict, object, labels)
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

type Asked = GetAnswer extends infer A ? (A extends { state: 'found' } ? A & { ranged: boolean } : A) : never

/** A range that comes with `If-Range` counts only if the object is still the same one; else all of it is sent. */
async function getAsAsked(headers: Headers, bucket: Bucket, key: string): Promise<Asked> {
	const range = parseRange(headers.get('range'))
	const ifRange = headers.get('if-range')
	// A date or a weak tag does not tell two versions of the same second apart.
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
	// Without a word of its uploader an object may be kept by the one who fetched it, and asked about each time.
	'cache-control': object.cacheControl ?? 'private, no-cache',
	...(object.contentDisposition !== null && { 'content-disposition': object.contentDisposition }),
	etag: `"${object.etag}"`,
	'last-modified': new Date(object.uploadedAt).toUTCString(),
	'accept-ranges': 'bytes',
	...labels,
})

const refusals = { unchanged: 304, failed: 412, unsatisfiable: 416 } as const

function refuse(why: keyof typeof refusals, object: ObjectHead, labels: Record<string, string>): Response {
	const status = refusals[why]
	if (why === 'failed') return new Response(null, { status })
	if (why === 'unsatisfiable')
		return new Response(null, {
			status,
			headers: { 'content-range': `bytes */${object.sizeBytes}`, 'accept-ranges': 'bytes' },
		})
	const headers = new Headers(headersOf(object, labels))
	headers.delete('content-type')
	headers.delete('content-disposition')
	return new Response(null, { status, headers })
}
