import { evaluateConditions } from '../storage/http-conditions.ts'
import { sha256 } from '../tokens/digest.ts'

/** Answers GET and HEAD with a generated text, ignoring ranges. Returns null without a text. */
export async function answerWithText(
	{ method, headers }: Request,
	text: string | null,
	labels: Record<string, string>,
): Promise<Response | null> {
	if (text === null) return null
	const etag = await sha256(text)
	// The modification time is unknown.
	const verdict = evaluateConditions(headers, { etag, uploadedAt: Number.POSITIVE_INFINITY })
	if (verdict === 'failed') return new Response(null, { status: 412 })
	const { 'content-type': contentType = '', ...others } = { ...labels, etag: `"${etag}"` }
	if (verdict === 'unchanged') return new Response(null, { status: 304, headers: others })
	const bytes = new TextEncoder().encode(text)
	return new Response(method === 'HEAD' ? null : bytes, {
		headers: { ...others, 'content-type': contentType, 'content-length': String(bytes.length) },
	})
}
