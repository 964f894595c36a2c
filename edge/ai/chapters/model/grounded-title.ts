import { toVisibleText } from '../../../platform/visible-text.ts'
import { splitWords } from '../../transcripts/words.ts'
import type { Sentence } from '../segmentation/sentences.ts'
import { createStemmer, stripPunctuation } from '../segmentation/stems.ts'

const MAX_LENGTH = 80
/** Addresses and markup, which a plain-text title must not contain. */
const SUSPICIOUS = /[<>{}[\]\\/@*_`|]|\bwww\.|[\p{L}\p{N}-]\.\p{L}{2}/iu
/** Scripts without spaces between words. */
const UNSPACED =
	/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+/gu
const HIRAGANA = /^\p{sc=Hiragana}+$/u

/** The minimum share of a title's words that its chapter must contain. */
const MIN_SHARE = 0.5
/**
 * Word boundaries are unknown in these scripts, so pairs of characters across two words count too, but never match.
 */
const MIN_UNSPACED_SHARE = 1 / 3

/**
 * Cleans a title suggested by a model; null if it is unusable. Its words must come from the chapter, so a prompt
 * injection can't put other text into a title.
 */
export function chooseGroundedTitle(
	suggested: string,
	chapter: readonly Sentence[],
	language: string | null,
): string | null {
	const title = toVisibleText(suggested)
	if (title === '' || [...title].length > MAX_LENGTH || SUSPICIOUS.test(title)) return null
	return isGrounded(title, chapter, language) ? title : null
}

function isGrounded(title: string, chapter: readonly Sentence[], language: string | null): boolean {
	const spoken = new Set(chapter.flatMap(({ words }) => words.map(({ stem }) => stem)))
	const stemOf = createStemmer(language)
	const stems = splitWords(title.replaceAll(UNSPACED, ' ')).flatMap(({ word }) => stemOf(word) ?? [])
	const text = chapter.map(({ words }) => words.map(({ word }) => stripPunctuation(word)).join('')).join(' ')
	const pairs = pairsOf(title.normalize('NFKC'))
	const foundStems = stems.filter((stem) => spoken.has(stem)).length
	const foundPairs = pairs.filter((pair) => text.includes(pair)).length
	const isEnough = (found: number, all: number, share: number) => all === 0 || found >= all * share
	return (
		foundStems + foundPairs > 0 &&
		isEnough(foundStems, stems.length, MIN_SHARE) &&
		isEnough(foundPairs, pairs.length, MIN_UNSPACED_SHARE)
	)
}

/** Returns all pairs of adjacent characters in scripts without spaces, except hiragana particles. */
function pairsOf(title: string): string[] {
	const runs = title.match(UNSPACED) ?? []
	return runs.flatMap((run) => {
		const characters = [...run]
		const pairs = characters.slice(1).map((second, at) => `${characters[at]}${second}`)
		return pairs.filter((pair) => !HIRAGANA.test(pair))
	})
}
