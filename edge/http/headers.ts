import { formatDeprecationHeaders } from '#schema/contract/kit/headers/deprecation.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { sendBrowserReports } from '#schema/contract/operations/browser-reports.ts'
import type { Env } from '../platform/env.ts'

/** Returns the caller's request id if it is well-formed, so a request can be traced across systems. */
export function readRequestId(headers: Headers): string {
	const id = headers.get('x-request-id')
	return id && /^[\w.-]{8,80}$/.test(id) ? id : crypto.randomUUID()
}

/** Returns the declared length of the body, or null if the sender declared none. */
export function readContentLength(headers: Headers): number | null {
	const length = headers.get('content-length')
	return length === null ? null : Number(length)
}

/** Returns the value of a cookie, or undefined if the request has none of this name. */
export function readCookie(headers: Headers, name: string): string | undefined {
	const start = `${name}=`
	const pairs = (headers.get('cookie') ?? '').split('; ')
	return pairs.find((pair) => pair.startsWith(start))?.slice(start.length)
}

/** Returns the names of all cookies, in the order in which the browser sends them. */
export const readCookieNames = (headers: Headers): string[] =>
	(headers.get('cookie') ?? '').split('; ').map((pair) => pair.split('=', 1)[0] ?? '')

export function addSecurityHeaders(headers: Headers, env: Env, requestId: string): void {
	headers.set('x-request-id', requestId)
	headers.set('x-content-type-options', 'nosniff')
	headers.set('referrer-policy', 'no-referrer')
	if (env.isProduction) headers.set('strict-transport-security', 'max-age=31536000; includeSubDomains')
	if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
	if (!headers.has('content-security-policy'))
		headers.set('content-security-policy', "default-src 'none'; frame-ancestors 'none'; base-uri 'none'")
	if (headers.get('content-type')?.startsWith('text/html')) securePage(headers)
}

/** Errors carry the headers, too, so that callers of an operation that always fails learn of its end. */
export function addDeprecationHeaders(headers: Headers, op: Operation | undefined): void {
	if (!op?.deprecated) return
	for (const [name, value] of Object.entries(formatDeprecationHeaders(op.deprecated)))
		headers.set(name, value)
}

/** Isolates the page from other windows. Browsers report violations to us. */
function securePage(headers: Headers): void {
	const { path } = sendBrowserReports
	headers.set('cross-origin-opener-policy', 'same-origin')
	headers.set('reporting-endpoints', `default="${path}"`)
	const policy = headers.get('content-security-policy')
	headers.set('content-security-policy', `${policy}; report-uri ${path}; report-to default`)
}

/** Returns the media type of a body without its parameters, or an empty text. */
export const readMediaType = (headers: Headers): string =>
	headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
