import { urlProblem } from '#schema/contract/video/source-url.ts'
import type { Deps } from '../deps.ts'
import type { Env } from '../env.ts'

/**
 * What is wrong with an address that somebody wants this installation to call: a webhook, a start hook, the source of
 * an import. Null if nothing is. The one rule for all of them, at the edge; names are resolved by whoever calls.
 */
export function outboundUrlProblem(
	{ env, requestOrigin }: Pick<Deps, 'env' | 'requestOrigin'>,
	text: string,
) {
	const url = URL.parse(text)
	if (!url) return 'must be a whole address, such as https://example.org/path'
	const problem = urlProblem(url, { http: allowsHttp(env) })
	if (problem) return problem
	return isOwnHost(env, requestOrigin, url.hostname) ? 'must not lead back to this installation' : null
}

const allowsHttp = ({ vars, isProduction }: Env): boolean => vars.ALLOW_HTTP_URLS ?? !isProduction

function isOwnHost({ vars }: Env, requestOrigin: string | null, hostname: string): boolean {
	const host = withoutDots(hostname)
	const own = [vars.PUBLIC_URL, vars.FRONTEND_URL, requestOrigin]
		.flatMap((url) => (url ? [new URL(url).hostname] : []))
		.concat(vars.COMMUNITY_BASE_DOMAIN ?? [])
		.map(withoutDots)
	const base = vars.COMMUNITY_BASE_DOMAIN && withoutDots(vars.COMMUNITY_BASE_DOMAIN)
	return own.includes(host) || Boolean(base && host.endsWith(`.${base}`))
}

const withoutDots = (host: string): string => host.toLowerCase().replace(/\.+$/, '')
