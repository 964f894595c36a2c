const HUES = 12

/** Returns the first letters of the first and the last word of a name. */
export function chooseInitials(name: string): string {
	const words = name.trim().split(/\s+/)
	const chosen = words.length > 1 ? [words[0], words.at(-1)] : words
	return chosen.map((word = '') => firstCharacter(word)).join('')
}

/** Returns an angle of the color circle that is always the same for a name. */
export function chooseHue(name: string): number {
	let sum = 0
	for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 997
	return (sum % HUES) * (360 / HUES)
}

/** A character as viewers see it may have several code points. */
const firstCharacter = (word: string): string =>
	([...new Intl.Segmenter().segment(word)][0]?.segment ?? '').toUpperCase()
