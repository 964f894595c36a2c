import type { AiTest, LanguageModelChange, TranscriptionChange } from '#schema/contract/ai/settings.ts'
import { attemptCounter } from '../../../accounts/attempts/attempt-counter.ts'
import { AppError } from '../../../http/errors.ts'
import { requireSecrets } from '../../../http/require-secrets.ts'
import { MINUTE } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { applyEngineChange } from './ai-settings.ts'
import { aiSettingsStore } from './store.ts'
import { testModel } from './test-model.ts'
import { testTranscription } from './test-transcription.ts'

const rule = { name: 'ai-test', limit: 5, windowMs: MINUTE }

type Candidate = {
	transcription?: TranscriptionChange | undefined
	languageModel?: LanguageModelChange | undefined
}

/**
 * Transcribes test speech, or queries the language model, with the stored settings and requested changes. Counts as
 * usage.
 */
export async function testProvider(
	deps: Deps,
	orgId: string,
	{ transcription, languageModel }: Candidate = {},
): Promise<AiTest> {
	const secrets = requireSecrets(deps, 'AI providers')
	const purpose = languageModel ? 'language-model' : 'transcription'
	const change = languageModel ?? transcription ?? {}
	const saved = await aiSettingsStore(deps.db).findEngine(orgId, purpose)
	if (!saved && change.provider === undefined)
		throw new AppError(
			'conflict',
			languageModel
				? 'no language model is configured; send one to test'
				: 'no transcription provider is configured; send one to test',
		)
	await attemptCounter(deps.db, secrets, deps.now).count([{ rule, subject: orgId }])
	const engine = await applyEngineChange(deps, orgId, purpose, saved, change)
	return languageModel ? testModel(deps, engine) : testTranscription(deps, engine)
}
