/** Scripts that are written without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/** A word with its punctuation, and what separates it from the next word: a space or nothing. */
export type Word = { word: string; separator: ' ' | '' }

/** Splits a text into words. Those of scripts without spaces are found by the rules of Unicode. */
export function splitWords(text: string): Word[] {
	const parts = text.split(/\s+/).filter(Boolean)
	return parts.flatMap((part) => {
		const words = UNSPACED.test(part) ? splitUnspaced(part) : [part]
		return words.map((word, at): Word => ({ word, separator: at === words.length - 1 ? ' ' : '' }))
	})
}

function splitUnspaced(text: string): string[] {
	const words: string[] = []
	for (const { segment, isWordLike } of segmenter.segment(text)) {
		// Punctuation belongs to the word before it.
		if (isWordLike || words.length === 0) words.push(segment)
		else words.push((words.pop() ?? '') + segment)
	}
	return words
}

export const joinWords = (words: readonly Word[]): string =>
	words
		.map(({ word, separator }) => word + separator)
		.join('')
		.trimEnd()

const SENTENCE_END = /[.!?…。！？]["'”’»)\]]{0,3}$/u

export const endsSentence = (text: string): boolean => SENTENCE_END.test(text)

/** East Asian characters are twice as wide as others. */
export const measureTextWidth = (text: string): number =>
	LATIN.test(text)
		? text.length
		: [...text].reduce((width, character) => width + (WIDE.test(character) ? 2 : 1), 0)

const LATIN = /^[\u0020-\u02ff]*$/
const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u3000-\u303f\uff00-\uff60]/u
