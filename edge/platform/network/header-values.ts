/** Returns true for one or more printable ASCII characters. */
export const isHeaderText = (value: string): boolean => /^[\x20-\x7e]+$/.test(value)

export function toHeaderText(value: string): string {
	if (!isHeaderText(value))
		throw new RangeError('a header value must be printable ASCII; encode other text as in RFC 8187')
	return value
}

/**
 * Builds an absolute URL. Percent-encodes each segment and query value, so that none can change the URL's structure.
 */
export function buildUrl(
	base: string,
	segments: readonly string[],
	query: Record<string, string> = {},
): string {
	if (!segments.every((segment) => segment.isWellFormed() && !/^\.{0,2}$/.test(segment)))
		throw new RangeError('a segment of a URL must be well-formed text and not empty, "." or ".."')
	const search = new URLSearchParams(query)
	return `${base}/${segments.map(encodeURIComponent).join('/')}${search.size > 0 ? `?${search}` : ''}`
}

/** Returns an entry of `Link` (RFC 8288). Percent-encodes characters that a URL can't contain, such as `>` and spaces. */
export function formatLinkHeader(address: string, attributes: Record<string, string>): string {
	const target = address.toWellFormed().replaceAll(/[^\x21-\x7e]|[<>"\\^`{|}]/gu, encodeURIComponent)
	const named = Object.entries(attributes).map(([name, value]) => `; ${name}=${quoted(value)}`)
	return `<${target}>${named.join('')}`
}

const quoted = (text: string): string => `"${toHeaderText(text).replaceAll(/["\\]/g, '\\$&')}"`

/** Returns a `Content-Disposition` (RFC 6266) with an ASCII name for old clients and the exact name (RFC 8187). */
export function formatAttachmentHeader(filename: string): string {
	const ascii = filename
		.normalize('NFKD')
		.replaceAll(/\p{M}/gu, '')
		// Some browsers decode %41 in a plain name to A.
		.replaceAll(/[^\x20-\x7e]|["\\%]/gu, '_')
	if (ascii === filename) return `attachment; filename="${ascii}"`
	const exact = encodeURIComponent(filename.toWellFormed()).replaceAll(
		/['()*]/g,
		(letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
	)
	return `attachment; filename="${ascii}"; filename*=UTF-8''${exact}`
}
