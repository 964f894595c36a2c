import type { AiSettings, LanguageModelChange, TranscriptionChange } from '#schema/contract/ai/settings.ts'
import { AppError } from '../../../http/errors.ts'
import { SECOND } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { findOutboundUrlProblem } from '../../../platform/network/outbound-url.ts'
import { changeEngine } from './engine-change.ts'
import { sealKey } from './key-seal.ts'
import { listMissingPrices } from './prices.ts'
import { aiSettingsStore, type EnginePurpose, type EngineRow } from './store.ts'
import { viewAiSettings } from './view.ts'

export type AiSettingsPatch = {
	transcription?: TranscriptionChange | null | undefined
	languageModel?: LanguageModelChange | null | undefined
	limits?:
		| {
				audioSecPerMonth?: number | null | undefined
				costMicrosPerMonth?: number | null | undefined
				tokensPerMonth?: number | null | undefined
		  }
		| undefined
}

/** Another request may change the settings concurrently. A retry repeats every write, including successful ones. */
const MAX_TRIES = 5
const LAST_FOUR = 4

export const readAiSettings = async (deps: Deps, orgId: string): Promise<AiSettings> =>
	viewAiSettings(deps, await aiSettingsStore(deps.db).read(orgId))

export async function changeAiSettings(
	deps: Deps,
	orgId: string,
	patch: AiSettingsPatch,
): Promise<AiSettings> {
	const store = aiSettingsStore(deps.db)
	for (let i = 0; i < MAX_TRIES; i++) {
		const { engines, budget } = await store.read(orgId)
		const changed: [EngineRow, before: EngineRow | undefined][] = []
		for (const [purpose, field] of fields) {
			const change = patch[field]
			const before = engines.find((engine) => engine.purpose === purpose)
			if (change) changed.push([await applyEngineChange(deps, orgId, purpose, before, change), before])
		}
		const after = fields.flatMap(([purpose, field]) => {
			const rows = patch[field] === null ? [] : [...changed.map(([row]) => row), ...engines]
			return rows.find((row) => row.purpose === purpose) ?? []
		})
		const maxCost = patch.limits?.costMicrosPerMonth
		const limit = maxCost === undefined ? (budget?.maxCostMicros ?? null) : maxCost
		const missing = limit === null ? undefined : after.flatMap(listMissingPrices)[0]
		if (missing) throw new AppError('validation', `${missing}: is missing; a money limit needs a price`)
		const setLimits = async () =>
			!patch.limits || (await store.setLimits(deps.work, orgId, limitsOf(patch.limits)))
		// A price may be removed once no money limit needs it, and a limit may be set once a price exists.
		if (limit === null && !(await setLimits())) continue
		const saved = await Promise.all(changed.map(([row, before]) => store.saveEngine(deps.work, row, before)))
		if (saved.includes(false)) continue
		for (const [purpose, field] of fields)
			if (patch[field] === null) await store.deleteEngine(deps.work, orgId, purpose)
		if (limit !== null && !(await setLimits())) continue
		return readAiSettings(deps, orgId)
	}
	throw new AppError('conflict', 'another request changed these settings; try again')
}

const fields = [
	['transcription', 'transcription'],
	['language-model', 'languageModel'],
] as const

const limitsOf = ({
	audioSecPerMonth,
	costMicrosPerMonth,
	tokensPerMonth,
}: NonNullable<AiSettingsPatch['limits']>) => ({
	...(audioSecPerMonth !== undefined && {
		maxAudioMs: audioSecPerMonth === null ? null : audioSecPerMonth * SECOND,
	}),
	...(costMicrosPerMonth !== undefined && { maxCostMicros: costMicrosPerMonth }),
	...(tokensPerMonth !== undefined && { maxTokens: tokensPerMonth }),
})

/** Returns the row after a change, with a new key sealed. Throws if the change is not valid. */
export async function applyEngineChange(
	deps: Deps,
	orgId: string,
	purpose: EnginePurpose,
	before: EngineRow | undefined,
	change: TranscriptionChange | LanguageModelChange,
): Promise<EngineRow> {
	const prefix = purpose === 'transcription' ? 'transcription' : 'languageModel'
	const changed = changeEngine(purpose, before, change)
	if ('problem' in changed) throw new AppError('validation', `${prefix}.${changed.problem}`)
	const { keepsKey, ...settings } = changed
	const urlProblem = settings.baseUrl === null ? null : findOutboundUrlProblem(deps, settings.baseUrl)
	if (urlProblem) throw new AppError('validation', `${prefix}.baseUrl: ${urlProblem}`)
	if (settings.provider === 'workers-ai' && !deps.env.bindings.AI)
		throw new AppError('validation', `${prefix}.provider: Workers AI is not set up: bind AI`)
	const place = { orgId, purpose, provider: settings.provider }
	return {
		...place,
		...settings,
		...(await keyAfter(deps, place, keepsKey ? before : undefined, change.apiKey)),
		version: (before?.version ?? 0) + 1,
		updatedAt: deps.now,
	}
}

type KeyColumns = Pick<EngineRow, 'sealedKey' | 'keyLastFour' | 'keyUpdatedAt'>

async function keyAfter(
	deps: Deps,
	place: { orgId: string; purpose: EnginePurpose; provider: string },
	kept: KeyColumns | undefined,
	key: string | null | undefined,
): Promise<KeyColumns> {
	if (key)
		return {
			sealedKey: await sealKey(deps, key, place),
			// Four characters would reveal most of a short key.
			keyLastFour: key.length >= 4 * LAST_FOUR ? key.slice(-LAST_FOUR) : null,
			keyUpdatedAt: deps.now,
		}
	if (key === undefined && kept)
		return { sealedKey: kept.sealedKey, keyLastFour: kept.keyLastFour, keyUpdatedAt: kept.keyUpdatedAt }
	return { sealedKey: null, keyLastFour: null, keyUpdatedAt: null }
}
