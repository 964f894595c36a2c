// Runs in front of the Worker in local runs and sets CF-Connecting-IP, as Cloudflare does in production. Miniflare
// passes on a CF-Connecting-IP that the caller sent, which would bypass rate limits per address.
import { addReloadScript } from './live-reload.mjs'

/** Stays true once the server admits requests; a workerd that replaces one that died asks again. */
let isOpen = false

export const DevProxy = {
	async fetch(request, env) {
		// The port is open from the start, but the database may have no tables yet.
		isOpen ||= (await env.ADMISSION.fetch('http://server/')).ok
		if (!isOpen)
			return errorResponse(request, 503, 'unavailable', 'starting; try again in a moment', {
				'retry-after': '1',
			})
		if (!namesHost(request))
			return errorResponse(
				request,
				400,
				'malformed',
				'the Host header or the request target has no valid host; send a host name, with a port if needed',
			)
		if (writes(request) && !(await hasSpace(request, env))) return noSpaceResponse(request)
		const isLocal = env.LOCAL !== undefined && isOfThisMachine(request)
		if (isLocal && isBelowDev(request)) return env.LOCAL.fetch(request)
		const headers = new Headers(request.headers)
		headers.set('cf-connecting-ip', callerOf(request, env.TRUSTS_PROXY === 'true'))
		const isPage = isLocal && env.RELOADS_PAGES === 'true' && headers.get('accept')?.includes('text/html')
		if (isPage) return reloadingPage(request, headers, env)
		return forward(new Request(request, { headers }), env)
	},

	/** Rejects CONNECT: there are no tunnels. */
	connect: (socket) => socket.close(),
}

const MEBIBYTE = 1024 * 1024
/** SQLite writes in order to read, so nobody could read from a disk that is full to the last byte. */
const RESERVED_BYTES = 16 * MEBIBYTE
/** Left for requests with small bodies, so that people can still sign in and delete something. */
const RESERVED_FOR_SMALL_BYTES = 48 * MEBIBYTE
const SMALL_BYTES = 64 * 1024
const SPACE_IS_KNOWN_FOR_MS = 1_000
let space = { freeBytes: 0, until: 0 }

/** Deletions are accepted: they need little space and free some. */
const writes = ({ method }) => !['GET', 'HEAD', 'OPTIONS', 'DELETE'].includes(method)

/**
 * Looks at the declared length. The Worker asks again for each part of a body (edge/platform/storage/disk.ts). A body must
 * not pass through a stream here: when its sender breaks off, the Worker would see an ordinary end.
 */
async function hasSpace(request, env) {
	if (Date.now() >= space.until) {
		const freeBytes = Number(await (await env.DISK.fetch('http://disk/')).text())
		space = { freeBytes, until: Date.now() + SPACE_IS_KNOWN_FOR_MS }
	}
	const length = request.body === null ? 0 : Number(request.headers.get('content-length') ?? Number.NaN)
	const reserved = length <= SMALL_BYTES ? RESERVED_BYTES : RESERVED_BYTES + RESERVED_FOR_SMALL_BYTES
	return space.freeBytes - (length || 0) >= reserved
}

const noSpaceResponse = (request) =>
	errorResponse(
		request,
		507,
		'insufficient_storage',
		'the disk of this installation is full; delete something, or contact its operator',
	)

async function forward(request, env) {
	if (env.LOGS_REQUESTS !== 'true') return env.EDGE.fetch(request)
	const startedAt = Date.now()
	const response = await env.EDGE.fetch(request)
	const { headers, status } = response
	const entry = {
		level: 'info',
		message: 'request',
		method: request.method,
		// The query is left out because it may hold a secret.
		path: new URL(request.url).pathname,
		status,
		ms: Date.now() - startedAt,
		sql: Number(/^sql;desc="(\d+)"/.exec(headers.get('server-timing') ?? '')?.[1] ?? 0),
		requestId: headers.get('x-request-id'),
	}
	console.log(JSON.stringify(entry))
	return response
}

/** The version is read before the page, or a change between the two would be missed. */
async function reloadingPage(request, headers, env) {
	const version = await (await env.LOCAL.fetch('http://127.0.0.1/_dev/version')).text()
	headers.delete('if-none-match')
	const response = await forward(new Request(request, { headers }), env)
	return addReloadScript(response, version, new URL(request.url).origin)
}

const isBelowDev = (request) => new URL(request.url).pathname.startsWith('/_dev/')

/**
 * Accepts a browser on this machine that uses a loopback host name. A foreign name may resolve to this machine (DNS
 * rebinding), and a request with proxy headers may come from anywhere.
 */
function isOfThisMachine(request) {
	const forwardingHeaders = ['x-forwarded-for', 'x-forwarded-host', 'forwarded', 'via', 'x-real-ip']
	if (forwardingHeaders.some((name) => request.headers.has(name))) return false
	return (
		/^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(request.url).hostname) &&
		isLoopback(addressOf(request.cf?.clientIp ?? ''))
	)
}

const isLoopback = (address) => address === '::1' || /^127\./.test(address)

/** A host name or an address with an optional port. Rejects what would begin a path, a query or user information. */
const HOST = /^([\w-]+(\.[\w-]+)*\.?|\[[\da-f:.]+\])(:\d{1,5})?$/i

/** The runtime copies the Host header into the URL unchecked; Cloudflare rejects such requests itself. */
function namesHost(request) {
	if (!HOST.test(request.headers.get('host') ?? '') || !URL.canParse(request.url)) return false
	return HOST.test(new URL(request.url).host)
}

/** Uses the format of the Worker's own errors (edge/http/errors.ts). */
function errorResponse(request, status, code, message, more = {}) {
	const field = request.url.includes('/api/users/account/') ? 'detail' : 'error'
	const headers = {
		'x-error-code': code,
		'x-request-id': crypto.randomUUID(),
		'cache-control': 'no-store',
		'x-content-type-options': 'nosniff',
		'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
		...more,
	}
	return Response.json({ [field]: message }, { status, headers })
}

function callerOf(request, trustsProxy) {
	// A proxy appends the address it saw; everything before it comes from the caller.
	const forwarded = trustsProxy && request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim()
	return forwarded || addressOf(request.cf?.clientIp ?? '')
}

/**
 * Removes the port from workerd's formats `127.0.0.1:5312`, `[::1]:5312` and, on a dual-stack socket,
 * `[::ffff:127.0.0.1]:5312`.
 */
function addressOf(peer) {
	return peer
		.replace(/:\d+$/, '')
		.replace(/^\[(.*)\]$/, '$1')
		.replace(/^::ffff:(?=\d+\.)/, '')
}
