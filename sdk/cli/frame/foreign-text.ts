/** Controls of terminals, and characters that reorder what a person reads. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to escape
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences that colors.ts writes; others could hide text
const COLOR = /(\u001b\[(?:1|2|22|31|32|33|39)m)/

const escapeCharacter = (character: string): string =>
	`\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * Escapes control characters, because titles and names are texts of others: a terminal would move its cursor, change its
 * title or paste text.
 */
export function escapeControls(text: string, { keepsColors = false } = {}): string {
	const parts = keepsColors ? text.split(COLOR) : [text]
	return parts.map((part, index) => (index % 2 ? part : part.replace(CONTROLS, escapeCharacter))).join('')
}

/** Prints JSON on one line, without the control characters that JSON allows. */
export const printJson = (value: unknown): string => JSON.stringify(value).replace(CONTROLS, escapeCharacter)
