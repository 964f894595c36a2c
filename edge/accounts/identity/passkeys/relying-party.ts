import { apiBase, type Env } from '../../../platform/env.ts'

/** The host that passkeys belong to, and the origins of pages that may use them. */
export type RelyingParty = { id: string; origins: readonly string[] }

/**
 * The host of PUBLIC_URL, so that passkeys survive a second host of the Worker. Pages on this host or its subdomains
 * may use them, as browsers enforce.
 */
export function chooseRelyingParty(env: Env, request: { url: string }): RelyingParty {
	const base = new URL(apiBase(env, request))
	const id = base.hostname
	const own = [base.origin, ...env.ownOrigins].filter((origin) => {
		const { hostname } = new URL(origin)
		return hostname === id || hostname.endsWith(`.${id}`)
	})
	return { id, origins: [...new Set(own)] }
}
