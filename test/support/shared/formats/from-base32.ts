const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Decodes base32 as an authenticator app does. */
export function fromBase32(text: string): Uint8Array<ArrayBuffer> {
	const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
	return Uint8Array.from({ length: Math.floor(bits.length / 8) }, (_, i) =>
		Number.parseInt(bits.slice(8 * i, 8 * i + 8), 2),
	)
}
