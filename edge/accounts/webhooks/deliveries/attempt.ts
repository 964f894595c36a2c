import { SECOND } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { parseRetryAfter } from '../../../platform/network/retry-after.ts'
import type { EndpointRow } from '../endpoints/endpoint-store.ts'
import { findEndpointUrlProblem } from '../endpoints/endpoint-url.ts'

/** Covers the connection, the headers and the body of the response. */
export const TIMEOUT_MS = 15 * SECOND
const MAX_RESPONSE_BYTES = 1_024
const GONE = 410

export type Outcome = {
	status: number | null
	durationMs: number
	/** Why the attempt failed; null if it succeeded. */
	problem: string | null
	responseText: string | null
	retryAfterMs: number | null
	/** Set if the receiver asked for no more deliveries. */
	refusal: string | null
}

/** Sends one request to an endpoint, and reads the first KB of the response. */
export async function attemptDelivery(
	deps: Deps,
	endpoint: Pick<EndpointRow, 'url'>,
	body: string,
	headers: Record<string, string>,
): Promise<Outcome> {
	const { clock, fetchPublic } = deps
	const startedAt = clock()
	const outcome = (fields: Partial<Outcome>): Outcome => ({
		...{ status: null, problem: null, responseText: null, retryAfterMs: null, refusal: null },
		...fields,
		durationMs: clock() - startedAt,
	})
	// Checked again, because the configuration of the installation may have changed.
	const urlProblem = findEndpointUrlProblem(deps, endpoint.url)
	if (urlProblem) return outcome({ problem: `the URL ${urlProblem}` })
	const signal = AbortSignal.timeout(TIMEOUT_MS)
	try {
		const response = await fetchPublic(endpoint.url, {
			method: 'POST',
			body,
			redirect: 'manual',
			signal,
			headers: {
				'content-type': 'application/json',
				'user-agent': 'Playhouse-Webhooks/1',
				'accept-encoding': 'identity',
				...headers,
			},
		})
		const { status } = response
		const responseText = await readStart(response.body, signal)
		const retryAfterMs =
			status === 429 || status === 503 ? parseRetryAfter(response.headers.get('retry-after'), clock()) : null
		return outcome({
			status,
			responseText,
			retryAfterMs,
			problem: problemOf(status),
			refusal: refusalOf(status, response.headers.get('webhook-delivery')),
		})
	} catch (error) {
		return outcome({
			problem: signal.aborted ? 'no complete response within 15 seconds' : connectionProblem(error),
		})
	}
}

function problemOf(status: number): string | null {
	if (status >= 200 && status <= 299) return null
	if (status >= 300 && status <= 399) return `the receiver redirected (${status}); redirects are not followed`
	return `the receiver returned ${status}`
}

function refusalOf(status: number, header: string | null): string | null {
	if (status === GONE) return 'the receiver returned 410 Gone'
	return header?.trim().toLowerCase() === 'disable' ? 'the receiver sent webhook-delivery: disable' : null
}

/** workerd reports two kinds of errors: the connection was refused or lost, and everything else. */
function connectionProblem(error: unknown): string {
	const message = error instanceof Error ? error.message : String(error)
	return /connection (lost|refused|reset)/i.test(message)
		? 'the receiver refused or broke the connection'
		: 'no connection: the host name does not resolve, its certificate is not valid, or its address is not allowed'
}

/** Returns the start of a body as text for display, with control characters replaced. */
async function readStart(
	body: ReadableStream<Uint8Array> | null,
	signal: AbortSignal,
): Promise<string | null> {
	if (!body) return null
	const reader = body.getReader()
	const cancel = () => void reader.cancel().catch(() => undefined)
	signal.addEventListener('abort', cancel)
	const chunks: Uint8Array[] = []
	let bytes = 0
	try {
		while (bytes < MAX_RESPONSE_BYTES) {
			const { done, value } = await reader.read()
			if (signal.aborted) throw new Error('aborted')
			if (done) break
			chunks.push(value.subarray(0, MAX_RESPONSE_BYTES - bytes))
			bytes += value.byteLength
		}
	} finally {
		signal.removeEventListener('abort', cancel)
		cancel()
	}
	const text = new TextDecoder().decode(new Uint8Array(chunks.flatMap((chunk) => [...chunk])))
	return text.replaceAll(/(?![\n\t])\p{Cc}/gu, '\uFFFD')
}
