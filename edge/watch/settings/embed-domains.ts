import { AppError } from '../../http/errors.ts'
import { toCanonicalHost } from '../../platform/network/host-name.ts'

const WILDCARD = '*.'

/** Returns the domains in lower case and Punycode, each once. */
export function readEmbedDomains(texts: readonly string[]): string[] {
	return [...new Set(texts.map((text, i) => readDomain(text, `allowedEmbedDomains.${i}`)))]
}

function readDomain(text: string, field: string): string {
	const wildcard = text.startsWith(WILDCARD) ? WILDCARD : ''
	const host = toCanonicalHost(text.slice(wildcard.length))
	if (host !== null) return wildcard + host
	throw new AppError(
		'validation',
		`${field}: must be a host name such as example.org or *.example.org, without scheme, port or path`,
	)
}

/**
 * Returns the value of the directive `frame-ancestors` (CSP) for a page that is made to be embedded. Pages of the
 * installation itself may always embed it, on whichever of its origins they are.
 */
export const formatFrameAncestors = (domains: readonly string[], ownOrigins: readonly string[]): string =>
	domains.length === 0 ? '*' : ["'self'", ...ownOrigins, ...domains.filter(isDomain)].join(' ')

/** Checks the stored form again, because any other character could end the directive. */
const isDomain = (domain: string): boolean => /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain)

/**
 * Returns the host of the requesting page if that may not embed videos; else null. A page without a host, such as a
 * sandboxed frame, has the origin `null` and is reported as `an unknown page`. Native players send no page.
 */
export function findRefusedPage(
	headers: Headers,
	domains: readonly string[],
	ownHosts: ReadonlySet<string>,
): string | null {
	if (domains.length === 0) return null
	const pages = [headers.get('origin'), headers.get('referer')].flatMap((page) => page || [])
	const hosts = pages.map((page) => URL.parse(page)?.hostname ?? '')
	const refused = hosts.find((host) => !ownHosts.has(host) && !domains.some((domain) => covers(domain, host)))
	return refused === undefined ? null : refused || 'an unknown page'
}

const covers = (domain: string, host: string): boolean =>
	domain.startsWith(WILDCARD) ? host.endsWith(domain.slice(1)) : host === domain
