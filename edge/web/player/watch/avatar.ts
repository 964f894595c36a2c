const HUES = 12

/** Returns the first letters of the first and the last word of a name. */
export function formatInitials(name: string): string {
	const words = name.trim().split(/\s+/)
	const chosen = words.length > 1 ? [words[0], words.at(-1)] : words
	return chosen.map((word = '') => firstCharacter(word)).join('')
}

/** Returns a hue in degrees, derived from the name. */
export function computeHue(name: string): number {
	let sum = 0
	for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 997
	return (sum % HUES) * (360 / HUES)
}

/** Splits by grapheme, because what viewers see as one character may have several code points. */
const firstCharacter = (word: string): string =>
	([...new Intl.Segmenter().segment(word)][0]?.segment ?? '').toUpperCase()
