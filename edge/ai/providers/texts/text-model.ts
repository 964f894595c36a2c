import type { JsonSchema } from './answer.ts'

/** A request to a language model. Only the instructions are ours; the input is untrusted. */
export type TextRequest = {
	instructions: string
	input: string
	schema: JsonSchema
	/** The maximum number of output tokens. */
	maxTokens: number
}

/** Tokens that a model read and wrote. */
export type Usage = { inputTokens: number; outputTokens: number }

/** An unchecked answer. `usage` is null if the provider does not report it. */
export type TextAnswer = { text: string; usage: Usage | null }

export type TextModel = {
	write(request: TextRequest): Promise<TextAnswer>
}

/** Far larger than any requested answer. */
export const MAX_TEXT_BYTES = 1_000_000
