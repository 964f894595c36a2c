/** Joiners that Persian, Hindi and other scripts need between their letters. */
const JOINER = /[\u200c\u200d]/u
const HIDDEN =
	/[\p{Cf}\p{Co}\p{Cn}\p{Cs}\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5|[\u{e0100}-\u{e01ef}]/gu
/** More marks on one letter would cover the lines beside it. */
const MANY_MARKS = /(\p{M}{3})\p{M}+/gu

/**
 * Returns untrusted text on one line, without invisible characters, such as those that change the text direction or
 * carry hidden messages.
 */
export const toVisibleText = (text: string): string =>
	text
		.replaceAll(/[\p{Cc}\p{Z}]+/gu, ' ')
		.replaceAll(HIDDEN, (character, at: number, all: string) =>
			JOINER.test(character) && isLetter(all, at - 1) && isLetter(all, at + 1) ? character : '',
		)
		.replaceAll(MANY_MARKS, '$1')
		.trim()

const isLetter = (text: string, at: number): boolean => /[\p{L}\p{M}]/u.test(text[at] ?? '')
