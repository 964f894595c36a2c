/** File systems take 255 bytes; some are left for the ending, and for the " (1)" of a second download. */
const MAX_BYTES = 200

/** Line breaks and other controls, halves of characters, and what turns the direction of text around. */
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu
/** What some system takes for something else than a letter of a name. */
const RESERVED = /[\\/:*?"<>|]/g
/** Names that are devices on Windows, whatever their ending. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i

/** What a file of that title may be called on every system. */
export function fileName(title: string, extension: string): string {
	const stem = cut(title.normalize('NFC').replaceAll(INVISIBLE, ' ').replaceAll(RESERVED, '_'))
		.replaceAll(/\s+/g, ' ')
		// A dot in front hides a file; spaces and dots at the end are dropped by Windows.
		.replaceAll(/^[. ]+|[. ]+$/g, '')
		.replace(DEVICE, '_$&')
	return `${stem || 'video'}.${extension}`
}

function cut(text: string): string {
	let bytes = 0
	let end = 0
	for (const letter of text) {
		bytes += new TextEncoder().encode(letter).length
		if (bytes > MAX_BYTES) break
		end += letter.length
	}
	return text.slice(0, end)
}
