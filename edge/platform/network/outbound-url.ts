import { type AllowedUrls, urlProblem } from '#schema/contract/video/source-url.ts'
import type { Deps } from '../deps.ts'
import type { Env } from '../env.ts'

/**
 * Returns what is wrong with a URL that a caller wants this installation to request, or null. Webhooks, start hooks and
 * import sources all use this check. It does not resolve names; the code that sends the request must check the IP.
 */
export function outboundUrlProblem(
	{ env, requestOrigin }: Pick<Deps, 'env' | 'requestOrigin'>,
	text: string,
	allowed: Omit<AllowedUrls, 'http'> = {},
) {
	const url = URL.parse(text)
	if (!url) return 'must be a complete URL, such as https://example.org/path'
	const problem = urlProblem(url, { ...allowed, http: allowsHttp(env) })
	if (problem) return problem
	return isOwnHost(env, requestOrigin, url.hostname) ? 'must not point to this installation' : null
}

const allowsHttp = ({ vars, isProduction }: Env): boolean => vars.ALLOW_HTTP_URLS ?? !isProduction

function isOwnHost({ vars }: Env, requestOrigin: string | null, hostname: string): boolean {
	const host = withoutDots(hostname)
	const ownHosts = [vars.PUBLIC_URL, vars.FRONTEND_URL, vars.PLAYER_URL, requestOrigin]
		.flatMap((url) => (url ? [new URL(url).hostname] : []))
		.concat(vars.COMMUNITY_BASE_DOMAIN ?? [])
		.map(withoutDots)
	const base = vars.COMMUNITY_BASE_DOMAIN && withoutDots(vars.COMMUNITY_BASE_DOMAIN)
	return ownHosts.includes(host) || Boolean(base && host.endsWith(`.${base}`))
}

const withoutDots = (host: string): string => host.toLowerCase().replace(/\.+$/, '')
