import type { Env } from '../../platform/env.ts'

/** Checks whether a host belongs to the installation or is the slug host of a community. */
export function isOwnHost({ ownHosts, vars: { COMMUNITY_BASE_DOMAIN: base } }: Env, host: string): boolean {
	return ownHosts.has(host) || (base !== undefined && (host === base || host.endsWith(`.${base}`)))
}
