import { formatFrameAncestors } from '../settings/embed-domains.ts'

/**
 * Returns the headers of a page with the player. The page loads only from its own origin, and works on any allowed
 * site, including cross-origin isolated ones.
 */
export const buildPageHeaders = (
	nonce: string,
	allowedDomains: readonly string[],
	ownOrigins: readonly string[],
): Record<string, string> => ({
	'content-type': 'text/html; charset=utf-8',
	// Each page has its own nonce. Without no-store, going back in the browser is instant.
	'cache-control': 'private, no-cache',
	'content-security-policy': [
		"default-src 'none'",
		"script-src 'self'",
		`style-src 'nonce-${nonce}'`,
		"img-src 'self' data: blob:",
		"media-src 'self' blob:",
		"connect-src 'self'",
		"worker-src 'none'",
		"base-uri 'none'",
		"form-action 'self'",
		`frame-ancestors ${formatFrameAncestors(allowedDomains, ownOrigins)}`,
		"require-trusted-types-for 'script'",
		"trusted-types 'none'",
	].join('; '),
	'cross-origin-resource-policy': 'cross-origin',
	'cross-origin-embedder-policy': 'require-corp',
	'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
})
