import { findStopWords } from './stop-words.ts'

const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
/** Particles and endings of Japanese are hiragana; nearly all of its nouns contain other characters. */
const HIRAGANA = /^\p{sc=Hiragana}+$/u
const STEM_LENGTH = 6

/** Returns a word in lower case without its punctuation. */
export const stripPunctuation = (word: string): string =>
	word
		.normalize('NFKC')
		.toLowerCase()
		.replaceAll('’', "'")
		.replace(/^[^\p{L}\p{N}]+/u, '')
		// Matches up to the last letter: an expression for the rest would retry from each character.
		.replace(/^(.*[\p{L}\p{N}]).*$/su, '$1')

/**
 * Returns a stemmer, which returns null for stop words. English loses its usual endings. Other spaced languages keep
 * a word's beginning, which is good enough for comparison.
 */
export function createStemmer(language: string | null): (word: string) => string | null {
	const stopWords = findStopWords(language)
	const isEnglish = language === null || /^en\b/i.test(language)
	const known = new Map<string, string | null>()
	const stem = (word: string): string | null => {
		const bare = stripPunctuation(word)
		if (stopWords.has(bare) || /^[\d.,:%]*$/.test(bare) || HIRAGANA.test(bare)) return null
		if (UNSPACED.test(bare)) return bare
		const root = bare.replace(/'\p{L}{1,2}$/u, '').replace(/^[cdjlmnst]'/, '')
		if (root.length < 3 || stopWords.has(root)) return null
		return isEnglish ? englishStem(root) : [...root].slice(0, STEM_LENGTH).join('')
	}
	return (word) => {
		const found = known.get(word)
		if (found !== undefined) return found
		const made = stem(word)
		known.set(word, made)
		return made
	}
}

/** Removes the endings of plurals, verbs and a few derivations. */
function englishStem(word: string): string {
	const stem = word
		.replace(/(?<=.{3})(?:ies|ied)$/, 'y')
		.replace(/(?<=s|x|z|ch|sh)es$/, '')
		.replace(/(?<=.{2}[^su])s$/, '')
		.replace(/(?<=.{3})(?:ing|ed)(?:ly)?$/, '')
		.replace(/(?<=.{4})(?:ly|ness|ment|ation|er)$/, '')
	// Maps "running" to "run", "baking" to "bake", "carries" to "carry".
	return stem
		.replace(/([^aeiouls])\1$/, '$1')
		.replace(/(?<=.{2})e$/, '')
		.replace(/(?<=.{2})y$/, 'i')
}
