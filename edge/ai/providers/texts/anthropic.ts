import { z } from 'zod'
import type { Outside } from '../clients/client.ts'
import { ProviderError } from '../clients/provider-error.ts'
import { requestJson } from '../clients/request.ts'
import { parseAnswer } from '../clients/result.ts'
import { MAX_TEXT_BYTES, type TextModel, type TextRequest } from './text-model.ts'

const URL = 'https://api.anthropic.com/v1/messages'
const API_VERSION = '2023-06-01'

const Count = z.number().nonnegative()
const Answer = z.object({
	content: z.array(z.object({ type: z.string(), text: z.string().nullish() })),
	stop_reason: z.string().nullish(),
	usage: z.object({ input_tokens: Count, output_tokens: Count }).nullish().catch(null),
})

export function anthropicModel(outside: Outside, { key, model }: { key: string; model: string }): TextModel {
	const send = (
		{ instructions, input, schema, maxTokens }: TextRequest,
		hasSchema: boolean,
		timeoutMs: number,
	) =>
		requestJson(
			{ ...outside, timeoutMs },
			{
				url: URL,
				method: 'POST',
				headers: {
					'content-type': 'application/json',
					'anthropic-version': API_VERSION,
					'x-api-key': key,
				},
				body: JSON.stringify({
					model,
					max_tokens: maxTokens,
					system: instructions,
					messages: [{ role: 'user', content: input }],
					...(hasSchema && { output_config: { format: { type: 'json_schema', schema } } }),
				}),
				key,
				maxBytes: MAX_TEXT_BYTES,
			},
		)
	return {
		async write(request) {
			const deadline = outside.clock() + outside.timeoutMs
			try {
				return readMessage(await send(request, true, outside.timeoutMs))
			} catch (error) {
				// Older models take no schema; the instructions also describe the form.
				const isSchemaRefused =
					error instanceof ProviderError &&
					error.code === 'rejected' &&
					/output_config|schema|structured/i.test(error.message)
				if (!isSchemaRefused) throw error
				return readMessage(await send(request, false, Math.max(1, deadline - outside.clock())))
			}
		},
	}
}

function readMessage(answer: unknown) {
	const { content, stop_reason, usage } = parseAnswer(Answer, answer)
	if (stop_reason === 'refusal') throw new ProviderError('refused', 'the model refused to answer')
	return {
		text: content.flatMap(({ type, text }) => (type === 'text' && text ? [text] : [])).join(''),
		usage: usage ? { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens } : null,
	}
}
