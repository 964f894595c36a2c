import type { TranscriptionProvider } from '#schema/contract/ai/settings.ts'
import { assemblyAiClient } from './assemblyai.ts'
import type { Client, LaterClient, Outside } from './client.ts'
import { deepgramClient } from './deepgram.ts'
import { openAiClient } from './openai.ts'
import { ProviderError } from './provider-error.ts'
import { workersAiClient } from './workers-ai.ts'

export type OpenConfig = { provider: TranscriptionProvider; baseUrl: string | null; key: string | null }

/** Returns the client of a provider. Throws `ProviderError` if a key or an address is missing. */
export function openClient(
	outside: Outside,
	{ provider, baseUrl, key }: OpenConfig,
): Client & Partial<LaterClient> {
	switch (provider) {
		case 'openai-compatible':
			if (baseUrl === null) throw new ProviderError('not_configured', 'the base URL is missing')
			return openAiClient(outside, baseUrl, key)
		case 'deepgram':
			return deepgramClient(outside, requireKey(key))
		case 'assemblyai':
			return assemblyAiClient(outside, requireKey(key))
		case 'workers-ai':
			return workersAiClient(outside)
	}
}

export function requireKey(key: string | null): string {
	if (key === null) throw new ProviderError('not_configured', 'the API key is missing; enter it again')
	return key
}
