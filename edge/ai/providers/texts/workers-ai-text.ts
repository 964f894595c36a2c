import { z } from 'zod'
import type { Outside } from '../clients/client.ts'
import { ProviderError } from '../clients/provider-error.ts'
import { parseAnswer } from '../clients/result.ts'
import { runBinding } from '../clients/workers-ai.ts'
import { MAX_TEXT_BYTES, type TextModel } from './text-model.ts'

/** Models that answer in the form of a schema. */
const MODELS = [
	'@cf/meta/llama-3.3-70b-instruct-fp8-fast',
	'@cf/meta/llama-3.1-70b-instruct',
	'@cf/meta/llama-3.1-8b-instruct-fast',
]

const Count = z.number().nonnegative()
const Answer = z.object({
	response: z.unknown(),
	usage: z.object({ prompt_tokens: Count, completion_tokens: Count }).nullish().catch(null),
})

export function workersAiText({ ai, timeoutMs }: Outside, model: string): TextModel {
	return {
		async write({ instructions, input, schema, maxTokens }) {
			if (!ai) throw new ProviderError('not_configured', 'Workers AI is not set up: bind AI')
			// The installation pays, so an organization can't run any model of the account.
			if (!MODELS.includes(model))
				throw new ProviderError(
					'rejected',
					`this language model is not available; choose one of ${MODELS.join(', ')}`,
				)
			const messages = [
				{ role: 'system', content: instructions },
				{ role: 'user', content: input },
			]
			const response_format = { type: 'json_schema', json_schema: schema }
			const answer = await runBinding(
				ai,
				model,
				{ messages, max_tokens: maxTokens, response_format },
				timeoutMs,
			)
			const { response, usage } = parseAnswer(Answer, answer)
			// In the form of a schema, the response is an object.
			const text = typeof response === 'string' ? response : (JSON.stringify(response) ?? '')
			if (text.length > MAX_TEXT_BYTES)
				throw new ProviderError('too_large', `the response is larger than ${MAX_TEXT_BYTES} bytes`)
			return {
				text,
				usage: usage ? { inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens } : null,
			}
		},
	}
}
