type TextPart = { text: string; url: string | null }

/** Excludes final characters that end a sentence or close enclosing brackets. */
const WEB_ADDRESS = /https?:\/\/[^\s<>"'`]{1,2000}/g
const CLOSING = /[.,;:!?)\]}…]$/

/** Splits a text into links and the text between them. Only complete web addresses become links. */
export function splitLinks(text: string): TextPart[] {
	const parts: TextPart[] = []
	let at = 0
	for (const { 0: found, index } of text.matchAll(WEB_ADDRESS)) {
		const address = trimEnd(found)
		const url = parseUrl(address)
		if (url === null) continue
		if (index > at) parts.push({ text: text.slice(at, index), url: null })
		parts.push({ text: address, url })
		at = index + address.length
	}
	if (at < text.length) parts.push({ text: text.slice(at), url: null })
	return parts
}

/** Keeps a closing bracket that the address opens, as in addresses of Wikipedia. */
function trimEnd(address: string): string {
	let trimmed = address
	while (CLOSING.test(trimmed) && !(trimmed.endsWith(')') && count(trimmed, '(') >= count(trimmed, ')')))
		trimmed = trimmed.slice(0, -1)
	return trimmed
}

const count = (text: string, character: string): number => text.split(character).length

/** Returns null for an address with a user name, which can pass for the host. */
function parseUrl(address: string): string | null {
	const url = URL.parse(address)
	return url && url.username === '' && url.password === '' && url.hostname !== '' ? url.href : null
}
