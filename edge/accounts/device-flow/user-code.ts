/** No vowels, so that no code is a word, and no letters that look like a digit or like another letter. */
const LETTERS = 'BCDFGHJKMNPQRTVWX'
const LENGTH = 8
/** Bytes from here on would make some letters more likely. */
const LIMIT = 256 - (256 % LETTERS.length)

/** Returns eight letters, of which all are equally likely: about seven billion codes. */
export function makeUserCode(): string {
	let code = ''
	while (code.length < LENGTH)
		for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH)))
			if (byte < LIMIT && code.length < LENGTH) code += LETTERS[byte % LETTERS.length]
	return code
}

/** Returns the code in two groups, as people read it. */
export const formatUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`

/** Returns the code that a person typed, or null if it can't be one. */
export function parseUserCode(typed: string): string | null {
	const code = typed.toUpperCase().replaceAll(/[\s\p{Pd}]/gu, '')
	return code.length === LENGTH && [...code].every((letter) => LETTERS.includes(letter)) ? code : null
}
