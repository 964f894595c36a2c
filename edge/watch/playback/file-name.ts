/** File systems allow 255 bytes; this leaves room for the extension and for the " (1)" of a second download. */
const MAX_BYTES = 200

/** Line breaks and other control characters, lone surrogates, and marks that change the text direction. */
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu
/** Characters with a special meaning in file names of some system. */
const RESERVED = /[\\/:*?"<>|]/g
/** Device names on Windows, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i

/** Returns a file name for the title that is valid on every system. */
export function toFileName(title: string, extension: string): string {
	const stem = truncate(title.normalize('NFC').replaceAll(INVISIBLE, ' ').replaceAll(RESERVED, '_'))
		.replaceAll(/\s+/g, ' ')
		// A leading dot hides a file; Windows drops trailing spaces and dots.
		.replace(/^[. ]+/, '')
		.replace(/(?<![. ])[. ]+$/, '')
		.replace(DEVICE, '_$&')
	return `${stem || 'video'}.${extension}`
}

function truncate(text: string): string {
	let bytes = 0
	let end = 0
	for (const letter of text) {
		bytes += new TextEncoder().encode(letter).length
		if (bytes > MAX_BYTES) break
		end += letter.length
	}
	return text.slice(0, end)
}
