import { AppError } from '../http/errors.ts'
import { canonicalHost } from '../platform/network/host-name.ts'

const WILDCARD = '*.'

/** Returns the domains in lower case and Punycode, each once. */
export function readEmbedDomains(texts: readonly string[]): string[] {
	return [...new Set(texts.map((text, i) => readDomain(text, `allowedEmbedDomains.${i}`)))]
}

function readDomain(text: string, field: string): string {
	const wildcard = text.startsWith(WILDCARD) ? WILDCARD : ''
	const host = canonicalHost(text.slice(wildcard.length))
	if (host !== null) return wildcard + host
	throw new AppError(
		'validation',
		`${field}: must be a host name such as example.org or *.example.org, without scheme, port or path`,
	)
}
