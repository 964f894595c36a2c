import { formatDeprecationHeaders } from '#schema/contract/kit/headers/deprecation.ts'
import type { Auth, Operation } from '#schema/contract/kit/operation.ts'
import type { Deps } from '../platform/deps.ts'
import type { Env } from '../platform/env.ts'

const EXPOSED =
	'X-Request-Id, X-Error-Code, X-Error-Fields, X-Next-Cursor, Link, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, Idempotency-Key-Kept, X-Impersonation'
const ALLOWED =
	'Authorization, Content-Type, X-Api-Key, X-Request-Id, Idempotency-Key, Last-Event-ID, X-Community-Id, X-Community-Slug, Traceparent'
const DAY_SECONDS = '86400'
/** For pages whose owner may remove their origin, which takes effect within a minute. */
const MINUTE_SECONDS = '60'

const isLoopback = (origin: string) => /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(origin)

const deprecationNames = (op: Operation | undefined): string[] =>
	op?.deprecated ? Object.keys(formatDeprecationHeaders(op.deprecated)) : []

const namesIn = (headers: Operation['headers']) => Object.keys(headers?.shape ?? {})

/** Who lists the origin of a web page, besides the operator of the installation. */
export type OriginListing = { byOrg: boolean; byCommunity: boolean }

declare module '../platform/deps.ts' {
	interface Contributions {
		findListing(deps: Deps, origin: string): Promise<OriginListing>
		/** Returns the origin of an operation with `ownOrigin`, by the path of the request. */
		findOwnOrigin(deps: Deps, path: string): Promise<string | null>
	}
}

/**
 * Which pages, besides those that the operator lists, may call operations of a kind. A page of a community needs what its
 * members and visitors need. Servers send the credentials of the others.
 */
const callingPages: Record<Auth, readonly (keyof OriginListing)[]> = {
	public: ['byOrg', 'byCommunity'],
	viewer: ['byOrg', 'byCommunity'],
	session: ['byOrg', 'byCommunity'],
	'unverified-session': ['byOrg', 'byCommunity'],
	renewal: ['byOrg', 'byCommunity'],
	member: ['byOrg', 'byCommunity'],
	upload: ['byOrg', 'byCommunity'],
	read: ['byOrg'],
	write: ['byOrg'],
	admin: ['byOrg'],
	'org-admin-person': ['byOrg'],
	'headless-auth': [],
	superadmin: [],
	registration: [],
	machine: [],
	metrics: [],
}

/** Outside production, allows any page on localhost, such as dashboards under development. */
function isListedByOperator(origin: string, env: Env): boolean {
	const { CORS_ORIGINS, FRONTEND_URL } = env.vars
	if (CORS_ORIGINS.includes(origin.toLowerCase())) return true
	if (FRONTEND_URL && new URL(FRONTEND_URL).origin === origin) return true
	return !env.isProduction && isLoopback(origin)
}

/** Longer origins are in no list. */
const MAX_ORIGIN_LENGTH = 300

async function isListed(deps: Deps, origin: string, op: Operation | undefined): Promise<boolean> {
	if (isListedByOperator(origin, deps.env)) return true
	const pages = op ? callingPages[op.auth] : []
	if (pages.length === 0 || origin === 'null' || origin.length > MAX_ORIGIN_LENGTH) return false
	try {
		const listing = await deps.contributions.findListing(deps, origin)
		return pages.some((page) => listing[page])
	} catch (error) {
		deps.log.error('could not look up an origin', error)
		return false
	}
}

async function isOwn(deps: Deps, origin: string, request: Request): Promise<boolean> {
	try {
		return (await deps.contributions.findOwnOrigin(deps, new URL(request.url).pathname)) === origin
	} catch (error) {
		deps.log.error('could not look up an origin', error)
		return false
	}
}

async function allow(headers: Headers, request: Request, op: Operation | undefined, deps: Deps) {
	headers.append('vary', 'Origin')
	const origin = request.headers.get('origin')
	if (!origin) return false
	if (op?.anyOrigin) headers.set('access-control-allow-origin', '*')
	else if (await (op?.ownOrigin ? isOwn(deps, origin, request) : isListed(deps, origin, op)))
		headers.set('access-control-allow-origin', origin)
	else return false
	const exposed = [EXPOSED, ...namesIn(op?.answerHeaders), ...deprecationNames(op)]
	headers.set('access-control-expose-headers', exposed.join(', '))
	return true
}

export async function applyCors(headers: Headers, request: Request, op: Operation | undefined, deps: Deps) {
	// Cross-origin isolated pages need this header to load images without CORS.
	if (op?.anyOrigin) headers.set('cross-origin-resource-policy', 'cross-origin')
	const isDecided = headers.has('access-control-allow-origin')
	if (request.method !== 'OPTIONS' && !isDecided) await allow(headers, request, op, deps)
}

/** `own` is the path's own response to OPTIONS. */
export async function answerPreflight(
	request: Request,
	op: Operation | undefined,
	deps: Deps,
	methods: string,
	own?: Headers,
): Promise<Response> {
	const headers = new Headers(own)
	headers.set('allow', methods)
	if (op && (await allow(headers, request, op, deps))) {
		headers.set('access-control-allow-methods', methods)
		headers.set('access-control-allow-headers', [ALLOWED, ...namesIn(op.headers)].join(', '))
		const isLasting = op.anyOrigin || isListedByOperator(request.headers.get('origin') ?? '', deps.env)
		headers.set('access-control-max-age', isLasting ? DAY_SECONDS : MINUTE_SECONDS)
		headers.append('vary', 'Access-Control-Request-Headers')
	}
	return new Response(null, { status: 204, headers })
}
