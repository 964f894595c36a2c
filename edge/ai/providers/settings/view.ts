import type {
	AiSettings,
	LanguageModelProvider,
	TranscriptionProvider,
} from '#schema/contract/ai/settings.ts'
import { SECOND, toIsoOrNull, toUtcMonth } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { readInstallationEngine } from '../calls/engine.ts'
import { openKey } from './key-seal.ts'
import type { BudgetRow, EngineRow } from './store.ts'

export async function viewAiSettings(
	deps: Deps,
	{ engines, budget }: { engines: readonly EngineRow[]; budget: BudgetRow | undefined },
): Promise<AiSettings> {
	const transcription = engines.find(({ purpose }) => purpose === 'transcription')
	const languageModel = engines.find(({ purpose }) => purpose === 'language-model')
	const offered = readInstallationEngine(deps)
	const isCurrent = budget !== undefined && budget.month >= toUtcMonth(deps.now)
	const { maxAudioMs = null, maxCostMicros = null, maxTokens = null } = budget ?? {}
	return {
		transcription: transcription
			? {
					provider: transcription.provider as TranscriptionProvider,
					baseUrl: transcription.baseUrl,
					model: transcription.model,
					language: transcription.language,
					pricePerMinuteMicros: transcription.pricePerMinuteMicros,
					key: await viewKey(deps, transcription),
				}
			: null,
		languageModel: languageModel
			? {
					provider: languageModel.provider as LanguageModelProvider,
					baseUrl: languageModel.baseUrl,
					model: languageModel.model,
					inputPriceMicros: languageModel.inputPriceMicros,
					outputPriceMicros: languageModel.outputPriceMicros,
					key: await viewKey(deps, languageModel),
				}
			: null,
		installation: {
			transcription: offered && { provider: offered.provider, model: offered.model },
		},
		limits: {
			audioSecPerMonth: maxAudioMs === null ? null : maxAudioMs / SECOND,
			costMicrosPerMonth: maxCostMicros,
			tokensPerMonth: maxTokens,
		},
		usedThisMonth: {
			audioSec: isCurrent ? budget.audioMs / SECOND : 0,
			costMicros: isCurrent ? budget.costMicros : 0,
			tokens: isCurrent ? budget.tokens : 0,
		},
	}
}

async function viewKey(deps: Deps, row: EngineRow) {
	const opened = row.sealedKey === null ? null : await openKey(deps, row.sealedKey, row)
	return {
		hasKey: opened !== null,
		lastFour: row.keyLastFour,
		updatedAt: toIsoOrNull(row.keyUpdatedAt),
		mustBeEnteredAgain: row.sealedKey !== null && opened === null,
	}
}
