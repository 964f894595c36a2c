/** Of a very long description the first words have to do. */
const MAX_TERMS = 400
const MAX_TERM_LENGTH = 40
const MAX_QUERY_TERMS = 8

/** Scripts that put no spaces between words: their text is cut into overlapping pairs instead. */
const unspaced =
	'\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}ー\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}'
const WORD = /[\p{L}\p{N}\p{M}]+/gu
const RUN = new RegExp(`[${unspaced}]+|[^${unspaced}]+`, 'gu')
const IS_UNSPACED = new RegExp(`^[${unspaced}]`, 'u')

/** As texts are compared: without case, width, ligatures and accents. */
export const fold = (text: string): string =>
	text
		.normalize('NFKD')
		.replaceAll(/[\u0300-\u036f]/g, '')
		.toLowerCase()
		.normalize('NFC')

function* runsOf(folded: string): Generator<{ letters: string[]; isUnspaced: boolean }> {
	for (const [word] of folded.matchAll(WORD))
		for (const [run] of word.matchAll(RUN)) yield { letters: [...run], isUnspaced: IS_UNSPACED.test(run) }
}

const cut = (letters: string[]) => letters.slice(0, MAX_TERM_LENGTH).join('')

/** What a text is found by: its words; of unspaced text each pair of letters, and the last one alone. */
export function termsOf(text: string): string[] {
	const terms = new Set<string>()
	for (const { letters, isUnspaced } of runsOf(fold(text))) {
		if (terms.size >= MAX_TERMS) break
		if (isUnspaced) for (let i = 0; i < letters.length; i++) terms.add(letters.slice(i, i + 2).join(''))
		else terms.add(cut(letters))
	}
	return [...terms].slice(0, MAX_TERMS)
}

/**
 * What has to be there, each as the beginning of a term. The longest comes first: fewest texts are likely to have it.
 * None for a query without letters and digits; that one is looked for as it stands.
 */
export function queryTerms(query: string): string[] {
	const terms = new Set<string>()
	for (const { letters, isUnspaced } of runsOf(fold(query))) {
		if (!isUnspaced || letters.length === 1) terms.add(cut(letters))
		else for (let i = 0; i < letters.length - 1; i++) terms.add(letters.slice(i, i + 2).join(''))
	}
	return [...terms].sort((a, b) => b.length - a.length).slice(0, MAX_QUERY_TERMS)
}

/** Every text that begins so lies between these two, in the order of UTF-8. */
export const prefixRange = (prefix: string): [from: string, below: string] => [prefix, `${prefix}\u{10ffff}`]
