/** Longer texts are indexed only up to here. */
const MAX_TERMS = 400
const MAX_TERM_LENGTH = 40
const MAX_QUERY_TERMS = 8
/** A long text has too many words that share their first one or two letters. */
const MIN_PREFIX_LENGTH = 3

/** Scripts without spaces between words. Their text is indexed as overlapping pairs of letters. */
const unspaced =
	'\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}ー\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}'
const WORD = /[\p{L}\p{N}\p{M}]+/gu
const RUN = new RegExp(`[${unspaced}]+|[^${unspaced}]+`, 'gu')
const IS_UNSPACED = new RegExp(`^[${unspaced}]`, 'u')

/** Normalizes a text for comparison: ignores case, width, ligatures and accents. */
export const foldText = (text: string): string =>
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

/** Returns the search terms of a text: its words, or each pair of letters and the last letter of unspaced text. */
export function extractSearchTerms(text: string, maxTerms = MAX_TERMS): string[] {
	const terms = new Set<string>()
	for (const { letters, isUnspaced } of runsOf(foldText(text))) {
		if (terms.size >= maxTerms) break
		if (isUnspaced) for (let i = 0; i < letters.length; i++) terms.add(letters.slice(i, i + 2).join(''))
		else terms.add(cut(letters))
	}
	return [...terms].slice(0, maxTerms)
}

/** Returns a text as a sequence for the comparison of quotes: its words, and each letter of unspaced text. */
export const tokenizeText = (text: string): string[] =>
	[...runsOf(foldText(text))].flatMap(({ letters, isUnspaced }) => (isUnspaced ? letters : [cut(letters)]))

/** Whether a term may match longer words by prefix, in long texts. */
export const isPrefixTerm = (term: string): boolean =>
	[...term].length >= MIN_PREFIX_LENGTH || (IS_UNSPACED.test(term) && [...term].length === 1)

/**
 * Returns prefixes that a matching text must all contain, most selective (longest) first. Returns none for a query
 * without letters and digits; callers then search for a substring.
 */
export function extractQueryTerms(query: string): string[] {
	const terms = new Set<string>()
	for (const { letters, isUnspaced } of runsOf(foldText(query))) {
		if (!isUnspaced || letters.length === 1) terms.add(cut(letters))
		else for (let i = 0; i < letters.length - 1; i++) terms.add(letters.slice(i, i + 2).join(''))
	}
	return [...terms].sort((a, b) => b.length - a.length).slice(0, MAX_QUERY_TERMS)
}

/** Returns the range of all texts with this prefix, in UTF-8 order. */
export const computePrefixRange = (prefix: string): [from: string, below: string] => [
	prefix,
	`${prefix}\u{10ffff}`,
]
