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
	fetch(request, env) {
		// The port is taken from the beginning, but the database may have no tables yet.
		if (!isOpen) {
			const headers = { 'retry-after': '1', 'cache-control': 'no-store' }
			return Response.json({ error: 'starting; try again in a moment' }, { status: 503, headers })
		}
		const headers = new Headers(request.headers)
		headers.set('cf-connecting-ip', callerOf(request, env.TRUSTS_PROXY === 'true'))
		return env.EDGE.fetch(new Request(request, { headers }))
	},
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
