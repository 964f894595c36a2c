/** An error response of the API; status 0 without a response. */
export class ApiError extends Error {
	/**
	 * @param {number} status
	 * @param {string} message
	 * @param {{ code?: string | null, retryAfterSeconds?: number | null, ticket?: string | null }} [more]
	 */
	constructor(status, message, { code = null, retryAfterSeconds = null, ticket = null } = {}) {
		super(message)
		this.status = status
		/** `X-Error-Code`, a key of `statusByCode` in schema/contract/kit/problem.ts. */
		this.code = code
		this.retryAfterSeconds = retryAfterSeconds
		/** Of a sign-in that needs a second factor. */
		this.ticket = ticket
	}
}

const RESPONSE_TIMEOUT_MS = 30_000

/**
 * Whether the browser keeps the cookie of a session, which scripts can't read. It does not on plain HTTP, except on
 * localhost in most browsers.
 */
const keepsCookies = canKeepSecureCookies()
/** The token of the session where there is no cookie. It ends with the page. */
let token = ''

function canKeepSecureCookies() {
	const probe = '__Host-probe=1; Path=/; Secure; SameSite=Strict'
	// biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on plain HTTP.
	document.cookie = probe
	const isKept = document.cookie.includes('__Host-probe=1')
	// biome-ignore lint/suspicious/noDocumentCookie: as above
	document.cookie = `${probe}; Max-Age=0`
	return isKept
}

/**
 * Calls the API on the origin of this page as the person who is signed in. Resolves with the `data` of the response,
 * rejects with an ApiError.
 * @param {string} method
 * @param {string} path
 * @param {{ body?: object, idempotencyKey?: string }} [options]
 * @returns {Promise<any>}
 */
export async function call(method, path, { body, idempotencyKey } = {}) {
	/** @type {Record<string, string>} */
	const headers = { accept: 'application/json' }
	if (body) headers['content-type'] = 'application/json'
	if (keepsCookies) headers['x-playhouse-page'] = '1'
	else if (token) headers.authorization = `Bearer ${token}`
	if (idempotencyKey) headers['idempotency-key'] = idempotencyKey
	let response
	let text
	try {
		response = await fetch(path, {
			method,
			headers,
			body: body ? JSON.stringify(body) : null,
			signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
		})
		text = await response.text()
	} catch {
		throw new ApiError(0, 'no response')
	}
	const content = parseJson(text)
	if (response.ok && content) {
		// The response of a sign-in.
		if (!keepsCookies && content.data.user && content.data.token) token = content.data.token
		return content.data
	}
	const retryAfter = Number(response.headers.get('retry-after'))
	throw new ApiError(response.ok ? 502 : response.status, String(content?.error ?? content?.detail ?? ''), {
		code: response.headers.get('x-error-code'),
		retryAfterSeconds: retryAfter > 0 ? retryAfter : null,
		ticket: response.headers.get('x-second-factor-ticket'),
	})
}

/** @param {string} text */
function parseJson(text) {
	try {
		return JSON.parse(text)
	} catch {
		return null
	}
}

/**
 * Returns the message to show for an error that the page doesn't handle itself.
 * @param {unknown} error
 * @returns {string}
 */
export function explain(error) {
	if (!(error instanceof ApiError)) {
		console.error(error)
		return 'Something went wrong on this page. Reload the page and try again.'
	}
	const { status, message, retryAfterSeconds } = error
	if (status === 0) return 'The server could not be reached. Check your connection and try again.'
	if (status === 429) return `Too many attempts. ${tryAgain(retryAfterSeconds)}`
	if (status >= 500 && status !== 501)
		return `Something went wrong on our side. ${tryAgain(retryAfterSeconds)}`
	return sentence(message || `the server rejected the request (${status})`)
}

/** @type {(seconds: number | null, what?: string) => string} */
export const tryAgain = (seconds, what = 'Try again') =>
	`${what} ${seconds === null ? 'later' : `in ${duration(seconds)}`}.`

/** @param {number} seconds */
function duration(seconds) {
	/** @type {(n: number, unit: string) => string} */
	const count = (n, unit) => (n === 1 ? `1 ${unit}` : `${n} ${unit}s`)
	if (seconds < 100) return count(Math.ceil(seconds), 'second')
	if (seconds < 6_000) return count(Math.ceil(seconds / 60), 'minute')
	return count(Math.ceil(seconds / 3_600), 'hour')
}

/** Turns an error message of the API into a sentence. @param {string} text */
const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
