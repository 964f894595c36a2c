import type { TranscriptionProvider } from '#schema/contract/ai/settings.ts'
import { SECOND } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { OpenConfig } from '../clients/open-client.ts'
import { openKey } from '../settings/key-seal.ts'
import { aiSettingsStore } from '../settings/store.ts'
import type { Prices } from '../texts/token-cost.ts'
import type { CallRow } from './store.ts'

export type Engine = OpenConfig & {
	payer: CallRow['payer']
	model: string | null
	language: string | null
	pricePerMinuteMicros: number | null
}

/** Returns the provider of the organization with its key, else the installation's. */
export async function findEngine(deps: Deps, orgId: string): Promise<Engine | null> {
	const row = await aiSettingsStore(deps.db).findEngine(orgId, 'transcription')
	if (!row) return readInstallationEngine(deps)
	const provider = row.provider as TranscriptionProvider
	return {
		...row,
		...{ provider, ...chooseTranscriptionCharge(deps, row) },
		key: row.sealedKey === null ? null : await openKey(deps, row.sealedKey, row),
	}
}

/** Returns whose account a provider charges: the binding belongs to the installation. */
const payerOf = (provider: string): Engine['payer'] => (provider === 'workers-ai' ? 'installation' : 'org')

/**
 * Returns who pays a chosen provider, and at what price. The binding uses the installation's price, so that nobody
 * can evade its limit with a lower one.
 */
export const chooseTranscriptionCharge = (
	{ env: { vars } }: Pick<Deps, 'env'>,
	{ provider, pricePerMinuteMicros }: { provider: string; pricePerMinuteMicros: number | null },
): Pick<Engine, 'payer' | 'pricePerMinuteMicros'> =>
	payerOf(provider) === 'installation'
		? {
				payer: 'installation',
				pricePerMinuteMicros: vars.TRANSCRIPTION_MICROS_PER_MINUTE ?? pricePerMinuteMicros,
			}
		: { payer: 'org', pricePerMinuteMicros }

/** Returns who pays a language model, and at what prices. Where the installation pays, its prices apply. */
export const chooseModelCharge = (
	{ env: { vars } }: Pick<Deps, 'env'>,
	{ provider, inputPriceMicros, outputPriceMicros }: Prices & { provider: string },
): Prices & Pick<Engine, 'payer'> => {
	const payer = payerOf(provider)
	const { LANGUAGE_MODEL_INPUT_MICROS: input, LANGUAGE_MODEL_OUTPUT_MICROS: output } = vars
	return payer === 'installation' && input !== undefined && output !== undefined
		? { payer, inputPriceMicros: input, outputPriceMicros: output }
		: { payer, inputPriceMicros, outputPriceMicros }
}

/** Returns the installation's default provider: from its variables, else the binding. */
export function readInstallationEngine({ env: { vars, bindings } }: Pick<Deps, 'env'>): Engine | null {
	const provider = vars.TRANSCRIPTION_PROVIDER ?? 'workers-ai'
	if (provider === 'workers-ai' && !bindings.AI) return null
	return {
		...{ provider, payer: 'installation', language: null },
		baseUrl: vars.TRANSCRIPTION_BASE_URL ?? null,
		key: vars.TRANSCRIPTION_KEY ?? null,
		model: vars.TRANSCRIPTION_MODEL ?? null,
		pricePerMinuteMicros: vars.TRANSCRIPTION_MICROS_PER_MINUTE ?? null,
	}
}

/**
 * Returns the monthly limits of what the installation pays, for all organizations together and for each; null without
 * a limit. Transcription and language models have separate limits.
 */
export const readInstallationLimits = (
	{ env: { vars } }: Pick<Deps, 'env'>,
	purpose: CallRow['purpose'] = 'transcription',
) =>
	purpose === 'language-model'
		? {
				maxAudioMs: null,
				maxTokens: vars.LANGUAGE_MODEL_TOKENS_PER_MONTH,
				maxTokensPerOrg:
					vars.LANGUAGE_MODEL_TOKENS_PER_ORG ?? Math.ceil(vars.LANGUAGE_MODEL_TOKENS_PER_MONTH / 10),
				maxCostMicros: vars.LANGUAGE_MODEL_MICROS_PER_MONTH ?? null,
			}
		: {
				maxAudioMs:
					vars.TRANSCRIPTION_SECONDS_PER_MONTH === undefined
						? null
						: vars.TRANSCRIPTION_SECONDS_PER_MONTH * SECOND,
				maxTokens: null,
				maxTokensPerOrg: null,
				maxCostMicros: vars.TRANSCRIPTION_MICROS_PER_MONTH ?? null,
			}
