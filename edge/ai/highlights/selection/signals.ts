import type { Sentence } from '../../chapters/segmentation/sentences.ts'
import { stripPunctuation } from '../../chapters/segmentation/stems.ts'

/** The signals of a window, each relative to the rest of the video. */
export const signals = ['emphasis', 'topic', 'pace', 'pause'] as const
export type Signal = (typeof signals)[number]
export type Measures = Record<Signal, number>

/** Longer silence adds no evidence. */
const MAX_PAUSE_SEC = 3
/** Emphatic English words. Other languages use questions, exclamations and numbers. */
const STRESSED =
	/^(?:best|worst|most|least|never|always|nobody|everybody|amazing|incredible|surprising|surprised|secret|mistake|important|remember|truth|finally|\p{L}{4,}est)$/u
/** Words in "est" that are no superlatives. */
const PLAIN =
	/^(?:interest|request|suggest|harvest|honest|forest|invest|protest|contest|digest|latest|guest|modest)$/

/** Prefix sums of the sentences, which measure any window in constant time. */
export type SentenceSums = {
	words: number[]
	seconds: number[]
	emphasis: number[]
	topic: number[]
}

export function sumSentences(sentences: readonly Sentence[]): SentenceSums {
	const weightOf = topicWeights(sentences)
	const sums: SentenceSums = { words: [0], seconds: [0], emphasis: [0], topic: [0] }
	const add = (list: number[], value: number) => void list.push((list.at(-1) ?? 0) + value)
	for (const { words, start, end } of sentences) {
		add(sums.words, words.length)
		add(sums.seconds, Math.max(0.1, end - start))
		add(sums.emphasis, emphasisOf(words.map(({ word }) => word)))
		add(
			sums.topic,
			words.reduce((sum, { stem }) => sum + (stem === null ? 0 : weightOf(stem)), 0),
		)
	}
	return sums
}

/** Measures the sentences from `from` to `to`, the latter excluded. */
export function measureSignals(
	sentences: readonly Sentence[],
	sums: SentenceSums,
	from: number,
	to: number,
): Measures {
	const within = (list: readonly number[]) => (list[to] ?? 0) - (list[from] ?? 0)
	const words = Math.max(1, within(sums.words))
	const before = from === 0 ? 0 : (sentences[from]?.start ?? 0) - (sentences[from - 1]?.end ?? 0)
	return {
		emphasis: within(sums.emphasis) / (to - from),
		topic: within(sums.topic) / words,
		pace: words / within(sums.seconds),
		pause: Math.max(0, Math.min(MAX_PAUSE_SEC, before)),
	}
}

/** Counts questions, exclamations, numbers and emphatic words. */
function emphasisOf(words: readonly string[]): number {
	const ending = /[?!？！]["'”’»)\]]{0,3}$/u.test(words.at(-1) ?? '') ? 1 : 0
	const stressed = words.filter((word) => {
		const bare = stripPunctuation(word)
		return /\p{Nd}/u.test(bare) || (STRESSED.test(bare) && !PLAIN.test(bare))
	})
	return ending + Math.min(3, stressed.length) / 2
}

/**
 * Returns the topic weight of each stem: repeated stems in few sentences weigh most; single occurrences are mostly
 * chance.
 */
function topicWeights(sentences: readonly Sentence[]): (stem: string) => number {
	const spread = new Map<string, number>()
	for (const { words } of sentences)
		for (const stem of new Set(words.flatMap(({ stem }) => stem ?? [])))
			spread.set(stem, (spread.get(stem) ?? 0) + 1)
	return (stem) => {
		const count = spread.get(stem) ?? 0
		return count < 2 ? 0 : Math.log(sentences.length / count) * Math.log2(count)
	}
}
