import type { LanguageModelProvider } from '#schema/contract/ai/settings.ts'
import type { Outside } from '../clients/client.ts'
import { requireKey } from '../clients/open-client.ts'
import { ProviderError } from '../clients/provider-error.ts'
import { anthropicModel } from './anthropic.ts'
import { openAiChat } from './openai-chat.ts'
import type { TextModel } from './text-model.ts'
import { workersAiText } from './workers-ai-text.ts'

export type TextModelConfig = {
	provider: LanguageModelProvider
	baseUrl: string | null
	model: string | null
	key: string | null
}

/** Returns a language model. Throws `ProviderError` if a part of its settings is missing. */
export function openTextModel(
	outside: Outside,
	{ provider, baseUrl, model, key }: TextModelConfig,
): TextModel {
	if (model === null) throw new ProviderError('not_configured', 'the name of the model is missing')
	switch (provider) {
		case 'openai-compatible':
			if (baseUrl === null) throw new ProviderError('not_configured', 'the base URL is missing')
			return openAiChat(outside, { baseUrl, key, model })
		case 'anthropic':
			return anthropicModel(outside, { key: requireKey(key), model })
		case 'workers-ai':
			return workersAiText(outside, model)
	}
}
