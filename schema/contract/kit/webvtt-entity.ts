/** Those of WebVTT, and those that programs for captions write for quotes. */
const entities = new Map([
	['amp', '&'],
	['lt', '<'],
	['gt', '>'],
	['quot', '"'],
	['apos', "'"],
	['nbsp', '\u00a0'],
	['lrm', '\u200e'],
	['rlm', '\u200f'],
])

/** Returns the text of an entity such as `&amp;`, `&#39;` or `&#x27;`. Unknown names stay as they are. */
export function decodeEntity(entity: string, decimal?: string, hex?: string, name = ''): string {
	if (decimal !== undefined) return characterOf(Number(decimal))
	if (hex !== undefined) return characterOf(Number.parseInt(hex, 16))
	return entities.get(name) ?? entity
}

/** Returns the replacement character for a number that stands for none. */
function characterOf(codePoint: number): string {
	const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff
	return codePoint > 0 && codePoint <= 0x10ffff && !isSurrogate ? String.fromCodePoint(codePoint) : '\ufffd'
}
