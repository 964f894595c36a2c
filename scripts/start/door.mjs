// Stands before the Worker in local runs and does what Cloudflare's edge does in production: it says who is calling.
// Miniflare leaves a CF-Connecting-IP that the caller wrote himself, so limits per address could be dodged with it.

/** What answers at Miniflare's own port, which is not ours to open: nothing. */
export default {
	fetch: () => new Response(null, { status: 404 }),
}

let isOpen = false

/** For control.mjs, and for nobody outside: no socket leads here. */
export const Latch = {
	fetch() {
		isOpen = true
		return new Response(null, { status: 204 })
	},
}

export const Door = {
	async fetch(request, env) {
		// The port is taken from the beginning, but the database may have no tables yet.
		if (!isOpen)
			return refuse(request, 503, 'unavailable', 'starting; try again in a moment', { 'retry-after': '1' })
		if (!namesHost(request))
			return refuse(
				request,
				400,
				'malformed',
				'the Host header, or the address of the request, names no host',
			)
		const headers = new Headers(request.headers)
		headers.set('cf-connecting-ip', callerOf(request, env.TRUSTS_PROXY === 'true'))
		return env.EDGE.fetch(new Request(request, { headers }))
	},

	/** CONNECT asks for a tunnel. There is none. */
	connect: (socket) => socket.close(),
}

/** A name or an address, and a port: nothing that would begin a path, a query, or a name to sign in with. */
const HOST = /^([\w-]+(\.[\w-]+)*\.?|\[[\da-f:.]+\])(:\d{1,5})?$/i

/** The runtime puts the Host header into the address as it is; Cloudflare refuses such requests by itself. */
function namesHost(request) {
	if (!HOST.test(request.headers.get('host') ?? '') || !URL.canParse(request.url)) return false
	return HOST.test(new URL(request.url).host)
}

/** In the form of the Worker's own refusals (edge/http/errors.ts). */
function refuse(request, status, code, message, more = {}) {
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
	// A proxy adds the address it saw at the end; all before that is the caller's own claim.
	const forwarded = trustsProxy && request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim()
	return forwarded || addressOf(request.cf?.clientIp ?? '')
}

/** workerd says `127.0.0.1:5312`, `[::1]:5312` or, on a socket for both families, `[::ffff:127.0.0.1]:5312`. */
function addressOf(peer) {
	return peer
		.replace(/:\d+$/, '')
		.replace(/^\[(.*)\]$/, '$1')
		.replace(/^::ffff:(?=\d+\.)/, '')
}
