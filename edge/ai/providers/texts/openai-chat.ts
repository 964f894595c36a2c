import { z } from 'zod'
import { trimEnd } from '#schema/contract/kit/trim-end.ts'
import type { Outside } from '../clients/client.ts'
import { ProviderError } from '../clients/provider-error.ts'
import { requestJson } from '../clients/request.ts'
import { parseAnswer } from '../clients/result.ts'
import { MAX_TEXT_BYTES, type TextModel, type TextRequest } from './text-model.ts'

const Count = z.number().nonnegative()
const Answer = z.object({
	choices: z
		.array(
			z.object({
				finish_reason: z.string().nullish(),
				message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
			}),
		)
		.min(1),
	usage: z.object({ prompt_tokens: Count, completion_tokens: Count }).nullish().catch(null),
})

/** The dialect of an OpenAI-compatible server. Servers reject unsupported ones with 400 or 422. */
type Dialect = {
	format: 'json_schema' | 'json_object' | 'none'
	limit: 'max_tokens' | 'max_completion_tokens'
}
const FIRST: Dialect = { format: 'json_schema', limit: 'max_tokens' }

/** `baseUrl` is the part before `/chat/completions`, such as `https://api.openai.com/v1`, or the whole address. */
export function openAiChat(
	outside: Outside,
	{ baseUrl, key, model }: { baseUrl: string; key: string | null; model: string },
): TextModel {
	const base = trimEnd(baseUrl, '/')
	const url = base.endsWith('/chat/completions') ? base : `${base}/chat/completions`
	const send = (request: TextRequest, dialect: Dialect, timeoutMs: number) =>
		requestJson(
			{ ...outside, timeoutMs },
			{
				url,
				method: 'POST',
				headers: {
					'content-type': 'application/json',
					...(key !== null && { authorization: `Bearer ${key}` }),
				},
				body: JSON.stringify(bodyOf(model, request, dialect)),
				key,
				maxBytes: MAX_TEXT_BYTES,
			},
		)
	return {
		async write(request) {
			const deadline = outside.clock() + outside.timeoutMs
			let dialect: Dialect | null = FIRST
			for (;;)
				try {
					return readChat(await send(request, dialect, Math.max(1, deadline - outside.clock())))
				} catch (error) {
					if (!(error instanceof ProviderError) || error.code !== 'rejected') throw error
					dialect = nextDialect(dialect, error.message)
					if (dialect === null) throw error
				}
		},
	}
}

const bodyOf = (
	model: string,
	{ instructions, input, schema, maxTokens }: TextRequest,
	dialect: Dialect,
) => ({
	model,
	messages: [
		{ role: 'system', content: instructions },
		{ role: 'user', content: input },
	],
	[dialect.limit]: maxTokens,
	...(dialect.format === 'json_schema' && {
		response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
	}),
	...(dialect.format === 'json_object' && { response_format: { type: 'json_object' } }),
})

/** Returns the next dialect after a rejection, changing what the message names; null if it names neither. */
function nextDialect({ format, limit }: Dialect, message: string): Dialect | null {
	if (limit === 'max_tokens' && message.includes('max_completion_tokens'))
		return { format, limit: 'max_completion_tokens' }
	if (format === 'none' || !/response_format|json_schema|json_object|schema/i.test(message)) return null
	return { format: format === 'json_schema' ? 'json_object' : 'none', limit }
}

function readChat(answer: unknown) {
	const { choices, usage } = parseAnswer(Answer, answer)
	const [choice] = choices
	if (choice?.message.refusal || choice?.finish_reason === 'content_filter')
		throw new ProviderError('refused', 'the model refused to answer')
	return {
		text: choice?.message.content ?? '',
		usage: usage ? { inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens } : null,
	}
}
