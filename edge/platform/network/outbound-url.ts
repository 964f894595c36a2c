import { trimEnd } from '#schema/contract/kit/trim-end.ts'
import { type AllowedUrls, findUrlProblem, hasPublicHost } from '#schema/contract/video/source-url.ts'
import type { Deps } from '../deps.ts'
import type { Env } from '../env.ts'
import { isThisMachine } from './this-machine.ts'

/**
 * Returns what is wrong with a user-supplied URL that this installation would request, or null. Shared by webhooks,
 * start hooks and import sources. Does not resolve names; the sender must check the IP.
 */
export function findOutboundUrlProblem(
	{ env, requestOrigin }: Pick<Deps, 'env' | 'requestOrigin'>,
	text: string,
	allowed: Omit<AllowedUrls, 'http'> = {},
) {
	const url = URL.parse(text)
	if (!url) return 'must be a complete URL, such as https://example.org/path'
	const problem = findUrlProblem(url, { ...allowed, http: allowsHttp(env) })
	if (problem) return problem
	return isOwn(env, requestOrigin, url) ? 'must not point to this installation' : null
}

const allowsHttp = ({ vars, isProduction }: Env): boolean => vars.ALLOW_HTTP_URLS ?? !isProduction

/**
 * A public host is ours on every port. Otherwise, as on this machine, other ports belong to other programs, and one
 * server has many names.
 */
function isOwn({ vars, bindings }: Env, requestOrigin: string | null, url: URL): boolean {
	const host = withoutDots(url.hostname)
	const base = vars.COMMUNITY_BASE_DOMAIN && withoutDots(vars.COMMUNITY_BASE_DOMAIN)
	if (base && (host === base || host.endsWith(`.${base}`))) return true
	const isHere = isThisMachine(host)
	if (isHere && portOf(url) === bindings.LISTENING_PORT) return true
	return [vars.PUBLIC_URL, vars.FRONTEND_URL, vars.PLAYER_URL, requestOrigin].some((text) => {
		const own = text ? new URL(text) : null
		if (!own || (!hasPublicHost(url) && portOf(own) !== portOf(url))) return false
		const ownHost = withoutDots(own.hostname)
		return ownHost === host || (isHere && isThisMachine(ownHost))
	})
}

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80')

const withoutDots = (host: string): string => trimEnd(host.toLowerCase(), '.')
