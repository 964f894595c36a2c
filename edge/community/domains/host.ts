import type { Env } from '../../platform/env.ts'

/** What the parser would take for other parts of an address, or for another character in disguise. */
const notOfHosts = /[\s\p{Cc}/\\:@?#%[\]]/u

/** With room for the name of its TXT record. The last label of an IP address is a number. */
const hostName =
	/^(?=.{4,240}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:xn--[a-z0-9-]{1,58}[a-z0-9]|[a-z]{2,63})$/

/** A host as browsers ask for it: lower case, other scripts encoded. Null for what is more, less or something else. */
export function canonicalHost(text: string): string | null {
	const written = text.trim()
	if (notOfHosts.test(written)) return null
	const host = URL.parse(`http://${written}`)?.hostname ?? ''
	return hostName.test(host) ? host : null
}

/** The installation itself, or a host that a community has by its slug. */
export function isOwnHost({ ownHosts, vars: { COMMUNITY_BASE_DOMAIN: base } }: Env, host: string): boolean {
	return ownHosts.has(host) || (base !== undefined && (host === base || host.endsWith(`.${base}`)))
}
