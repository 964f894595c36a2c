/** One or more printable ASCII characters. */
export const isHeaderText = (value: string): boolean => /^[\x20-\x7e]+$/.test(value)

export function headerText(value: string): string {
	if (!isHeaderText(value))
		throw new RangeError('a header value is printable ASCII; RFC 8187 encodes the rest')
	return value
}

/**
 * An absolute address. Each segment and each value of the query is percent-encoded, so none of them can end its place:
 * no slash, no question mark, no line break.
 */
export function addressAt(
	base: string,
	segments: readonly string[],
	query: Record<string, string> = {},
): string {
	if (!segments.every((segment) => segment.isWellFormed() && !/^\.{0,2}$/.test(segment)))
		throw new RangeError('a segment of an address is well-formed text, and neither empty nor dots')
	const search = new URLSearchParams(query)
	return `${base}/${segments.map(encodeURIComponent).join('/')}${search.size > 0 ? `?${search}` : ''}`
}

/** An entry of `Link` (RFC 8288). What no address holds is percent-encoded: above all `>`, blanks and line breaks. */
export function linkValue(address: string, attributes: Record<string, string>): string {
	const target = address.toWellFormed().replaceAll(/[^\x21-\x7e]|[<>"\\^`{|}]/gu, encodeURIComponent)
	const named = Object.entries(attributes).map(([name, value]) => `; ${name}=${quoted(value)}`)
	return `<${target}>${named.join('')}`
}

const quoted = (text: string): string => `"${headerText(text).replaceAll(/["\\]/g, '\\$&')}"`

/** `Content-Disposition` (RFC 6266): the name in ASCII for whoever knows no other, and as it is (RFC 8187). */
export function attachment(filename: string): string {
	const ascii = filename
		.normalize('NFKD')
		.replaceAll(/\p{M}/gu, '')
		// Some browsers take %41 in a plain name for an A.
		.replaceAll(/[^\x20-\x7e]|["\\%]/gu, '_')
	if (ascii === filename) return `attachment; filename="${ascii}"`
	const exact = encodeURIComponent(filename.toWellFormed()).replaceAll(
		/['()*]/g,
		(letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
	)
	return `attachment; filename="${ascii}"; filename*=UTF-8''${exact}`
}
