import type { Sentence, SpokenWord } from './sentences.ts'

const MAX_WORDS = 4
const MAX_LENGTH = 60
/** A repeated name or phrase is a topic; a chance pair of words is not. */
const REPETITION = 0.6

type Phrase = { stems: string[]; text: string; count: number; score: number; isOpening: boolean }

/** Returns a title for each chapter: the phrase that is most specific to it, or `Part n`. Titles are unique. */
export function titleChapters(chapters: readonly (readonly Sentence[])[]): string[] {
	const weights = weightsOf(chapters)
	const usedTitles = new Set<string>()
	const usedStems = new Set<string>()
	return chapters.map((sentences, at) => {
		const candidates = rankPhrases(sentences, weights[at] ?? new Map())
		const isFree = ({ text }: Phrase) => !usedTitles.has(text.toLowerCase())
		const isNew = (phrase: Phrase) => isFree(phrase) && phrase.stems.some((stem) => !usedStems.has(stem))
		const pair = pairOf(sentences, weights[at] ?? new Map())
		const phrase = [...candidates, ...(pair ? [pair] : [])].find(isNew) ?? candidates.find(isFree)
		const title = phrase?.text ?? `Part ${at + 1}`
		usedTitles.add(title.toLowerCase())
		for (const stem of phrase?.stems ?? []) usedStems.add(stem)
		return title
	})
}

/** Returns how specific each stem is to each chapter. */
function weightsOf(chapters: readonly (readonly Sentence[])[]): Map<string, number>[] {
	const counts = chapters.map((sentences) => {
		const stems = new Map<string, number>()
		for (const { words } of sentences)
			for (const { stem } of words) if (stem !== null) stems.set(stem, (stems.get(stem) ?? 0) + 1)
		return stems
	})
	const totals = new Map<string, number>()
	const spread = new Map<string, number>()
	for (const stems of counts)
		for (const [stem, count] of stems) {
			totals.set(stem, (totals.get(stem) ?? 0) + count)
			spread.set(stem, (spread.get(stem) ?? 0) + 1)
		}
	return counts.map(
		(stems) =>
			new Map(
				[...stems].map(([stem, count]) => {
					const idf = Math.log((chapters.length + 1) / (spread.get(stem) ?? 1))
					return [stem, count * (count / (totals.get(stem) ?? 1)) * idf]
				}),
			),
	)
}

function rankPhrases(sentences: readonly Sentence[], weights: Map<string, number>): Phrase[] {
	const phrases = new Map<string, Phrase>()
	for (const { words } of sentences)
		for (let from = 0; from < words.length; from++)
			for (let to = from + 2; to <= Math.min(words.length, from + MAX_WORDS); to++) {
				const part = words.slice(from, to)
				const phrase = phraseOf(part, from === 0, weights)
				if (!phrase) continue
				const key = phrase.stems.join(' ')
				const known = phrases.get(key)
				// The capital at the beginning of a sentence says nothing.
				if (known) {
					known.count++
					if (known.isOpening && !phrase.isOpening)
						Object.assign(known, { text: phrase.text, isOpening: false })
				} else phrases.set(key, phrase)
			}
	return [...phrases.values()]
		.map((phrase) => ({ ...phrase, score: phrase.score * (1 + REPETITION * Math.log(phrase.count)) }))
		.sort((a, b) => b.score - a.score)
}

/**
 * Returns null for unsuitable titles: the first and last word must be significant, and no sentence may end within.
 */
function phraseOf(words: SpokenWord[], isFirst: boolean, weights: Map<string, number>): Phrase | null {
	const stems = words.flatMap(({ stem }) => (stem === null ? [] : [stem]))
	if (words[0]?.stem == null || words.at(-1)?.stem == null) return null
	if (new Set(stems).size < Math.min(2, words.length) || stems.length * 2 < words.length) return null
	const isBroken = words.slice(0, -1).some(({ word }) => /[\p{P}\p{S}]$/u.test(word))
	if (isBroken) return null
	const joined = words
		.map(({ word, separator }, at) => word + (at < words.length - 1 ? separator : ''))
		.join('')
	const text = titleCase(joined)
	if (text.length > MAX_LENGTH || /[<>{}[\]\\/@]/.test(text)) return null
	const sum = stems.reduce((total, stem) => total + (weights.get(stem) ?? 0), 0)
	// A long phrase would otherwise win by length alone.
	return {
		stems,
		text,
		count: 1,
		score: sum / Math.sqrt(words.length) / words.length ** 0.25,
		isOpening: isFirst,
	}
}

/** Joins the two most specific words if no adjacent words make a title. */
function pairOf(sentences: readonly Sentence[], weights: Map<string, number>): Phrase | null {
	const stems = [...weights].sort(([, a], [, b]) => b - a).map(([stem]) => stem)
	const firsts = new Map<string, string>()
	for (const { words } of sentences)
		for (const { stem, word } of words)
			if (stem !== null && !firsts.has(stem)) firsts.set(stem, titleCase(word))
	const texts = stems.slice(0, 2).flatMap((stem) => firsts.get(stem) ?? [])
	if (texts.length < 2) return null
	return { stems: stems.slice(0, 2), text: texts.join(', '), count: 1, score: 0, isOpening: false }
}

function titleCase(text: string): string {
	const bare = text
		.replace(/^[^\p{L}\p{N}]+/u, '')
		.replace(/^(.*[\p{L}\p{N})]).*$/su, '$1')
		.replace(/['’]s$/u, '')
	return bare.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())
}
