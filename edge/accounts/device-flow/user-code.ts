/** No vowels, so that no code is a word, and no look-alike letters. */
const LETTERS = 'BCDFGHJKMNPQRTVWX'
const LENGTH = 8
/** Bytes from here on would favor some letters. */
const LIMIT = 256 - (256 % LETTERS.length)

/** Returns eight uniformly random letters: about seven billion codes. */
export function makeUserCode(): string {
	let code = ''
	while (code.length < LENGTH)
		for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH)))
			if (byte < LIMIT && code.length < LENGTH) code += LETTERS[byte % LETTERS.length]
	return code
}

/** Splits the code into two groups for display. */
export const formatUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`

/** Parses a typed code; null if it is malformed. */
export function parseUserCode(typed: string): string | null {
	const code = typed.toUpperCase().replaceAll(/[\s\p{Pd}]/gu, '')
	return code.length === LENGTH && [...code].every((letter) => LETTERS.includes(letter)) ? code : null
}
