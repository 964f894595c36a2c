import type { Transcript, TranscriptWord } from '#schema/contract/ai/transcripts.ts'
import { isPrefixTerm, tokenizeText } from '../../platform/database/search-terms.ts'
import type { Moments } from '../../video/assets/search/moments.ts'

const MAX_MATCHES = 5
const QUOTED = /^\s*["“”„«](.*)["“”»]\s*$/su

type Token = { token: string; word: TranscriptWord; text: string; segment: number }

/**
 * Finds the moments of a query: where its words are consecutive, else, unless quoted, the segments with the most of
 * them.
 */
export function findQuote({ segments }: Pick<Transcript, 'segments'>, q: string): Moments {
	const quoted = QUOTED.exec(q)?.[1]
	const query = tokenizeText(quoted ?? q)
	if (query.length === 0) return { isQuote: false, matches: [] }
	const tokens = segments.flatMap(({ words, text, suspect }, segment): Token[] =>
		suspect
			? []
			: words.flatMap((word) => tokenizeText(word.word).map((token) => ({ token, word, text, segment }))),
	)
	const exact = tokens.filter((_, at) => isSaidAt(tokens, at, query)).slice(0, MAX_MATCHES)
	if (exact.length > 0) return { isQuote: query.length > 1, matches: exact.map(viewMatch) }
	return { isQuote: false, matches: quoted === undefined ? nearest(tokens, query).map(viewMatch) : [] }
}

const viewMatch = ({ word, text }: Token) => ({ startSec: word.start, text })

/** Matches the last word by prefix, because people search while they type. */
const isSaidAt = (tokens: readonly Token[], from: number, query: readonly string[]): boolean =>
	query.every((word, at) => {
		const token = tokens[from + at]?.token
		return token === word || (at === query.length - 1 && matches(token, word))
	})

const matches = (token: string | undefined, word: string): boolean =>
	token === word || (isPrefixTerm(word) && token?.startsWith(word) === true)

/** Returns the first word of each segment with the most query words. */
function nearest(tokens: readonly Token[], query: readonly string[]): Token[] {
	const bySegment = new Map<number, { first: Token; words: Set<string> }>()
	for (const token of tokens)
		for (const word of query) {
			if (!matches(token.token, word)) continue
			const known = bySegment.get(token.segment)
			if (known) known.words.add(word)
			else bySegment.set(token.segment, { first: token, words: new Set([word]) })
		}
	const found = [...bySegment.values()]
	const most = found.reduce((max, { words }) => Math.max(max, words.size), 0)
	return found
		.filter(({ words }) => words.size === most)
		.slice(0, MAX_MATCHES)
		.map(({ first }) => first)
}
