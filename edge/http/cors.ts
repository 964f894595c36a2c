import type { Operation } from '#schema/contract/kit/operation.ts'
import type { Env } from '../platform/env.ts'

const EXPOSED =
	'X-Request-Id, X-Error-Code, X-Next-Cursor, Link, Retry-After, Idempotent-Replayed, Idempotency-Key-Kept, X-Impersonation'
const ALLOWED =
	'Authorization, Content-Type, X-Api-Key, X-Request-Id, Idempotency-Key, Last-Event-ID, X-Community-Id, X-Community-Slug, Traceparent'
const DAY_SECONDS = '86400'

const isLoopback = (origin: string) => /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(origin)

const namesIn = (headers: Operation['headers']) => Object.keys(headers?.shape ?? {})

/** Outside production, any page on localhost may call the API, such as dashboards under development. */
function isListed(origin: string, env: Env): boolean {
	const { CORS_ORIGINS, FRONTEND_URL } = env.vars
	if (CORS_ORIGINS.includes(origin.toLowerCase())) return true
	if (FRONTEND_URL && new URL(FRONTEND_URL).origin === origin) return true
	return !env.isProduction && isLoopback(origin)
}

function allow(headers: Headers, request: Request, op: Operation | undefined, env: Env): boolean {
	headers.append('vary', 'Origin')
	const origin = request.headers.get('origin')
	if (!origin) return false
	if (op?.anyOrigin) headers.set('access-control-allow-origin', '*')
	else if (isListed(origin, env)) headers.set('access-control-allow-origin', origin)
	else return false
	headers.set('access-control-expose-headers', [EXPOSED, ...namesIn(op?.answerHeaders)].join(', '))
	return true
}

export function applyCors(headers: Headers, request: Request, op: Operation | undefined, env: Env): void {
	// Pages that are cross-origin isolated load pictures without CORS only with this header.
	if (op?.anyOrigin) headers.set('cross-origin-resource-policy', 'cross-origin')
	const isDecided = headers.has('access-control-allow-origin')
	if (request.method !== 'OPTIONS' && !isDecided) allow(headers, request, op, env)
}

/** `own` is the path's own response to OPTIONS. */
export function preflight(
	request: Request,
	op: Operation | undefined,
	env: Env,
	methods: string,
	own?: Headers,
): Response {
	const headers = new Headers(own)
	headers.set('allow', methods)
	if (op && allow(headers, request, op, env)) {
		headers.set('access-control-allow-methods', methods)
		headers.set('access-control-allow-headers', [ALLOWED, ...namesIn(op.headers)].join(', '))
		headers.set('access-control-max-age', DAY_SECONDS)
		headers.append('vary', 'Access-Control-Request-Headers')
	}
	return new Response(null, { status: 204, headers })
}
