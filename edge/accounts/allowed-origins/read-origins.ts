import { AppError } from '../../http/errors.ts'
import { toCanonicalHost } from '../../platform/network/host-name.ts'

const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Returns the origins as browsers send them (lower case, Punycode, no default port), each once. */
export function readOrigins(
	texts: readonly string[],
	nameField = (i: number): string => `origins.${i}`,
): string[] {
	return [...new Set(texts.map((text, i) => readOrigin(text, nameField(i))))]
}

function readOrigin(text: string, field: string): string {
	const url = URL.parse(text)
	const isOriginAlone = url !== null && url.href === `${url.origin}/` && !/[?#]/.test(text)
	if (isOriginAlone && url.protocol === 'https:' && toCanonicalHost(url.hostname) !== null) return url.origin
	if (isOriginAlone && /^https?:$/.test(url.protocol) && loopbackHosts.has(url.hostname)) return url.origin
	throw new AppError(
		'validation',
		`${field}: must be an origin such as https://community.example.org, without a path; plain http is for localhost only`,
	)
}
