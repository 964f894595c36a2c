import { MAX_URL_LENGTH } from '#schema/contract/accounts/webhooks/endpoints.ts'
import { hasPublicHost } from '#schema/contract/video/source-url.ts'
import { AppError } from '../../../http/errors.ts'
import type { Deps } from '../../../platform/deps.ts'
import { findOutboundUrlProblem } from '../../../platform/network/outbound-url.ts'

const HTTPS_PORTS = ['', '443', '8443']

/** Returns what is wrong with an endpoint's URL, or null. Also checked before each delivery. */
export function findEndpointUrlProblem(
	deps: Pick<Deps, 'env' | 'requestOrigin'>,
	text: string,
): string | null {
	// The binding rejects addresses outside these networks on connect.
	const privateHosts = deps.env.bindings.PUBLIC_NETWORK && deps.env.vars.WEBHOOK_NETWORKS.length > 0
	const problem = findOutboundUrlProblem(deps, text, { privateHosts: Boolean(privateHosts) })
	if (problem) return problem
	const url = new URL(text)
	const hasOtherPort = hasPublicHost(url) && url.protocol === 'https:' && !HTTPS_PORTS.includes(url.port)
	return hasOtherPort ? 'must use port 443 or 8443' : null
}

/** Returns the normalized URL, or throws if deliveries to it are not allowed. */
export function requireEndpointUrl(deps: Deps, text: string, field = 'url'): string {
	const problem = findEndpointUrlProblem(deps, text)
	if (problem) throw new AppError('validation', `${field}: ${problem}`)
	// The parser encodes characters, which makes the URL longer.
	const { href } = new URL(text)
	if (href.length > MAX_URL_LENGTH)
		throw new AppError(
			'validation',
			`${field}: has more than ${MAX_URL_LENGTH} characters when it is encoded`,
		)
	return href
}
