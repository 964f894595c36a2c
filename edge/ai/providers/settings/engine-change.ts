import type { LanguageModelChange, TranscriptionChange } from '#schema/contract/ai/settings.ts'
import type { EnginePurpose, EngineRow } from './store.ts'

type AnyChange = TranscriptionChange | LanguageModelChange
type PriceName = 'pricePerMinuteMicros' | 'inputPriceMicros' | 'outputPriceMicros'

/** The settings of a provider without its key, and whether the stored key still belongs to them. */
export type ChangedEngine = Pick<EngineRow, 'provider' | 'baseUrl' | 'model' | 'language' | PriceName> & {
	keepsKey: boolean
}

/** Returns what is wrong with a change as a field and a message, or the settings after it. */
export function changeEngine(
	purpose: EnginePurpose,
	before: EngineRow | undefined,
	change: AnyChange,
): ChangedEngine | { problem: string } {
	const provider = change.provider ?? before?.provider
	if (provider === undefined) return { problem: 'provider: is missing' }
	const isSameProvider = provider === before?.provider
	const known = isSameProvider ? before : undefined
	const baseUrl = given(change.baseUrl, known?.baseUrl)
	if (provider === 'openai-compatible' && baseUrl === null) return { problem: 'baseUrl: is missing' }
	if (provider !== 'openai-compatible' && baseUrl !== null)
		return { problem: 'baseUrl: can only be set for openai-compatible' }
	const model = given(change.model, known?.model)
	if (purpose === 'language-model' && model === null) return { problem: 'model: is missing' }
	const sent = change as Partial<TranscriptionChange & LanguageModelChange>
	return {
		provider,
		baseUrl,
		model,
		language: given(sent.language, before?.language),
		pricePerMinuteMicros: given(sent.pricePerMinuteMicros, known?.pricePerMinuteMicros),
		inputPriceMicros: given(sent.inputPriceMicros, known?.inputPriceMicros),
		outputPriceMicros: given(sent.outputPriceMicros, known?.outputPriceMicros),
		// Otherwise a person who may change the address could have the key sent to their own server.
		keepsKey: isSameProvider && baseUrl === before.baseUrl,
	}
}

const given = <T>(sent: T | undefined, stored: T | undefined): T | null =>
	sent === undefined ? (stored ?? null) : sent
