import { parseRetryAfter } from '../../../platform/network/retry-after.ts'
import type { Outside } from './client.ts'
import { ProviderError, type ProviderErrorCode, quoteUpstream } from './provider-error.ts'

/** Far larger than any response: ten minutes of transcript are below one megabyte. */
export const MAX_ANSWER_BYTES = 10_000_000

/** Of an error, only a line is quoted. */
const MAX_ERROR_BYTES = 16_000

export type ProviderRequest = {
	url: string
	method: 'GET' | 'POST'
	headers?: Record<string, string>
	body?: BodyInit
	maxBytes?: number
	/** The key, which errors must not contain. */
	key: string | null
}

/** Sends one request to a provider and returns the JSON of its answer. Throws `ProviderError`. */
export async function requestJson(
	outside: Outside,
	{ url, method, headers = {}, body, key, maxBytes = MAX_ANSWER_BYTES }: ProviderRequest,
): Promise<unknown> {
	const problem = outside.urlProblem(url)
	if (problem) throw new ProviderError('address_refused', `the address of the provider ${problem}`)
	const signal = AbortSignal.timeout(outside.timeoutMs)
	let hasAnswered = false
	try {
		const response = await outside.fetch(url, {
			method,
			headers: { accept: 'application/json', 'user-agent': 'Playhouse/1', ...headers },
			redirect: 'manual',
			signal,
			...(body !== undefined && { body }),
		})
		hasAnswered = true
		if (response.status < 200 || response.status > 299) {
			const text = await readText(response, signal, { quotedBytes: MAX_ERROR_BYTES }).catch(() => '')
			throw statusError(response, text, key, outside.clock())
		}
		const text = await readText(response, signal, { maxBytes })
		return parseJson(text, key)
	} catch (error) {
		if (error instanceof ProviderError) throw error
		if (signal.aborted)
			throw new ProviderError(
				'timeout',
				`no complete response within ${Math.round(outside.timeoutMs / 1_000)} seconds`,
			)
		if (hasAnswered || !isNeverReached(error))
			throw new ProviderError('broke_off', 'the connection was lost before the response was complete')
		throw new ProviderError(
			'no_connection',
			'the connection failed: the host does not resolve, refuses connections, or has a forbidden address',
		)
	}
}

const neverReachedCodes = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']
const neverReachedMessage = /refused|resolve|DNS|not allowed|not permitted|forbidden/i

/**
 * Whether no connection was made. If the platform doesn't report this, the provider may have received the request.
 */
function isNeverReached(error: unknown): boolean {
	const { message = '', cause } = error as { message?: string; cause?: { code?: string } }
	return neverReachedCodes.includes(cause?.code ?? '') || neverReachedMessage.test(message)
}

/**
 * Reads a body of any media type, because some servers send JSON as `text/html`. Truncates at `quotedBytes`; throws
 * above `maxBytes`.
 */
async function readText(
	response: Response,
	signal: AbortSignal,
	{ quotedBytes, maxBytes = MAX_ANSWER_BYTES }: { quotedBytes?: number; maxBytes?: number },
): Promise<string> {
	const reader = response.body?.getReader()
	if (!reader) return ''
	const cancel = () => void reader.cancel().catch(() => undefined)
	signal.addEventListener('abort', cancel)
	const decoder = new TextDecoder()
	let text = ''
	let bytes = 0
	try {
		for (;;) {
			const { done, value } = await reader.read()
			if (signal.aborted) throw new Error('aborted')
			if (done) return text + decoder.decode()
			bytes += value.byteLength
			if (quotedBytes !== undefined && bytes > quotedBytes)
				return text + decoder.decode(value.subarray(0, value.byteLength - (bytes - quotedBytes)))
			if (bytes > maxBytes)
				throw new ProviderError('too_large', `the response is larger than ${maxBytes} bytes`)
			text += decoder.decode(value, { stream: true })
		}
	} finally {
		signal.removeEventListener('abort', cancel)
		cancel()
	}
}

function parseJson(text: string, key: string | null): unknown {
	try {
		return JSON.parse(text)
	} catch {
		const isPage = text.trimStart().startsWith('<')
		const what = isPage ? 'a web page instead of JSON' : 'no valid JSON'
		throw new ProviderError('not_json', `the provider sent ${what}: ${quoteUpstream(text, key)}`)
	}
}

function statusError(response: Response, text: string, key: string | null, now: number): ProviderError {
	const { status, headers } = response
	const code = codeOf(status)
	const message =
		code === 'redirected'
			? `the provider redirected (${status}); redirects are not followed`
			: `the provider returned ${status}: ${quoteUpstream(upstreamMessage(text), key)}`
	return new ProviderError(code, message, parseRetryAfter(headers.get('retry-after'), now))
}

/**
 * Cloudflare returns these instead of an error: the host is down or unreachable, or has no valid certificate or name.
 */
const unreachableStatuses = [521, 522, 523, 525, 526, 530]

function codeOf(status: number): ProviderErrorCode {
	if (status >= 300 && status <= 399) return 'redirected'
	if (status === 401 || status === 403) return 'unauthorized'
	if (status === 402) return 'out_of_credit'
	if (status === 429) return 'rate_limited'
	if (unreachableStatuses.includes(status)) return 'no_connection'
	if (status === 524) return 'timeout'
	if (status === 408 || status >= 500) return 'unavailable'
	return 'rejected'
}

/** Returns the message inside of the JSON forms of the known providers, else the whole text. */
function upstreamMessage(text: string): string {
	try {
		const { error, err_msg, detail, message } = JSON.parse(text)
		const found = [error?.message, error, err_msg, detail, message].find((part) => typeof part === 'string')
		return found ?? text
	} catch {
		return text
	}
}
