import type { JsonSchema } from './answer.ts'

/** What a language model is asked. Only the instructions are ours; the input may be written by anybody. */
export type TextRequest = {
	instructions: string
	input: string
	schema: JsonSchema
	/** The most tokens that it may write. */
	maxTokens: number
}

/** Tokens that a model read and wrote. */
export type Usage = { inputTokens: number; outputTokens: number }

/** The text of an answer, which is not checked yet. `usage` is null if the provider does not report it. */
export type TextAnswer = { text: string; usage: Usage | null }

export type TextModel = {
	write(request: TextRequest): Promise<TextAnswer>
}

/** Far more than any answer that is asked for. */
export const MAX_TEXT_BYTES = 1_000_000
