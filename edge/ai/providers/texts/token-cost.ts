import type { TextRequest, Usage } from './text-model.ts'

export type Prices = { inputPriceMicros: number | null; outputPriceMicros: number | null }

const MILLION = 1_000_000
/** A token has about four bytes of English, and three of Chinese. */
const BYTES_PER_TOKEN = 2
/** Reported usage above this multiple of the reservation is ignored. */
const MAX_FACTOR = 10

/** Estimates the most tokens that a request should use. */
export const estimateUsage = ({ instructions, input, maxTokens }: TextRequest): Usage => ({
	inputTokens: Math.ceil(new TextEncoder().encode(instructions + input).length / BYTES_PER_TOKEN),
	outputTokens: maxTokens,
})

/** Returns the reported usage, else the reservation. Reasoning models exceed the allowed output. */
export function computeSettledUsage(reported: Usage | null, reserved: Usage): Usage {
	const isBelieved = reported && countTokens(reported) <= MAX_FACTOR * countTokens(reserved)
	return isBelieved
		? { inputTokens: Math.ceil(reported.inputTokens), outputTokens: Math.ceil(reported.outputTokens) }
		: reserved
}

export const countTokens = ({ inputTokens, outputTokens }: Usage): number =>
	Math.ceil(inputTokens + outputTokens)

/** Returns what tokens cost in millionths of a dollar; 0 if a price is unknown. */
export const computeTokenCost = (
	{ inputTokens, outputTokens }: Usage,
	{ inputPriceMicros, outputPriceMicros }: Prices,
): number =>
	inputPriceMicros === null || outputPriceMicros === null
		? 0
		: Math.ceil((inputTokens * inputPriceMicros + outputTokens * outputPriceMicros) / MILLION)
