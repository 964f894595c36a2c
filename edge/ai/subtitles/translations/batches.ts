import { z } from 'zod'
import { toVisibleText } from '../../../platform/visible-text.ts'

/** Models lose count in longer lists. */
const MAX_CUES = 40
const MAX_CHARACTERS = 2_000
/** The maximum length of a subtitle in a file. */
const MAX_TEXT = 1_000

/** Consecutive texts translated by one call. `from` is the index of the first. */
export type TextBatch = { from: number; texts: string[] }

/** Splits texts into batches of one call each. Deterministic. */
export function splitIntoBatches(texts: readonly string[]): TextBatch[] {
	const batches: TextBatch[] = []
	let characters = 0
	for (const [at, text] of texts.entries()) {
		const last = batches.at(-1)
		characters += text.length
		if (!last || last.texts.length >= MAX_CUES || characters > MAX_CHARACTERS) {
			batches.push({ from: at, texts: [text] })
			characters = text.length
		} else last.texts.push(text)
	}
	return batches
}

/** A model's answer about a batch: one text per number. It contains no times. */
export const TranslationAnswer = z.object({
	translations: z.array(z.object({ number: z.number(), text: z.string() })),
})
export type TranslationAnswer = z.infer<typeof TranslationAnswer>

/** Returns one text for each in the batch; null unless the answer has each number exactly once. */
export function readTranslatedTexts(
	{ translations }: TranslationAnswer,
	sources: readonly string[],
): string[] | null {
	const byNumber = new Map(translations.map(({ number, text }) => [number, toVisibleText(text)]))
	if (translations.length !== sources.length || byNumber.size !== sources.length) return null
	const texts = sources.map((source, at) => {
		const text = byNumber.get(at + 1)
		const isMissing = text === undefined || (text === '' && toVisibleText(source) !== '')
		return isMissing || text.length > MAX_TEXT ? null : text
	})
	return texts.every((text) => text !== null) ? texts : null
}
