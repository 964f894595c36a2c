/** Characters that the URL parser would interpret as other URL parts, remove or decode. */
const forbiddenInHosts = /[\s\p{Cc}/\\:@?#%[\]]/u

/** Leaves room for the prefix of the TXT record of a custom domain. The last label excludes IP addresses, which end in a number. */
const hostName =
	/^(?=.{4,240}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:xn--[a-z0-9-]{1,58}[a-z0-9]|[a-z]{2,63})$/

/** Returns a host as browsers send it: lower case, other scripts in Punycode. Null unless the text is exactly a host name. */
export function toCanonicalHost(text: string): string | null {
	const trimmed = text.trim()
	if (forbiddenInHosts.test(trimmed)) return null
	const host = URL.parse(`http://${trimmed}`)?.hostname ?? ''
	return hostName.test(host) ? host : null
}
