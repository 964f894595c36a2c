import { z } from 'zod'
import { readDeepgram } from '../clients/deepgram.ts'
import { readVerboseJson } from '../clients/openai.ts'
import { ProviderError, quoteUpstream } from '../clients/provider-error.ts'
import { parseAnswer, type TranscriptionResult } from '../clients/result.ts'
import type { DeliveryRow } from './delivery-store.ts'

const Callback = z.object({
	status: z.enum(['progress', 'completed', 'failed']),
	error: z
		.object({ code: z.string().nullish(), message: z.string().nullish(), retryable: z.boolean().nullish() })
		.nullish(),
})

/** The content of a callback. `ask`: nothing usable, so poll the provider. */
export type CallbackContent =
	| { kind: 'progress' }
	| { kind: 'ask' }
	| { kind: 'completed'; result: TranscriptionResult }
	| { kind: 'failed'; error: ProviderError }

/** Parses a stored body. Returns a result for any content; never throws. */
export function readCallbackBody(
	text: string,
	{ trust, language }: { trust: DeliveryRow['trust']; language: string | null },
): CallbackContent {
	if (trust === 'hint') return { kind: 'ask' }
	try {
		const body = parseJson(text)
		if (trust === 'body') return { kind: 'completed', result: readDeepgram(body, language) }
		const { status, error } = parseAnswer(Callback, body)
		if (status === 'progress') return { kind: 'progress' }
		if (status === 'completed') return { kind: 'completed', result: readVerboseJson(body) }
		const message = quoteUpstream(error?.message ?? error?.code ?? 'without a reason', null)
		const code = error?.retryable ? 'unavailable' : 'rejected'
		return { kind: 'failed', error: new ProviderError(code, `the provider failed: ${message}`) }
	} catch (error) {
		if (error instanceof ProviderError) return { kind: 'failed', error }
		throw error
	}
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text)
	} catch {
		throw new ProviderError('not_json', 'the callback is not valid JSON')
	}
}
