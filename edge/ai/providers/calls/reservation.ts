import { toUtcMonth } from '../../../platform/clock.ts'
import { newId } from '../../../platform/database/ids.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { TranscriptionResult } from '../clients/result.ts'
import type { EngineRow } from '../settings/store.ts'
import type { Usage } from '../texts/text-model.ts'
import { computeTokenCost, countTokens, type Prices } from '../texts/token-cost.ts'
import { computeCallCost, computeUsedAudioMs } from './cost.ts'
import { type Engine, readInstallationLimits } from './engine.ts'
import type { Refusal } from './outcome.ts'
import { findRefusal } from './refusal.ts'
import { callStore, type NewCall, type Terms } from './store.ts'

type Work = Pick<NewCall, 'audioMs' | 'language' | 'checkAt' | 'subject' | 'epoch'>
type Reservation = { call: NewCall } | { refusal: Refusal }
type ReserveOptions = { ignoresBreaker?: boolean }

/** Reserves audio and money for a call. Returns the call, or the refusal. */
export function reserveCall(
	deps: Deps,
	orgId: string,
	engine: Pick<Engine, 'provider' | 'payer' | 'model' | 'pricePerMinuteMicros'>,
	work: Work,
	{ ignoresBreaker = false }: ReserveOptions = {},
): Promise<Reservation> {
	const { provider, payer, model, pricePerMinuteMicros } = engine
	const costMicros = computeCallCost(work.audioMs, pricePerMinuteMicros)
	const options = { isPriced: pricePerMinuteMicros !== null, ignoresBreaker }
	return reserve(deps, { orgId, provider, payer, model, costMicros, ...work }, options)
}

/** Reserves tokens and money for a language model call. Returns the call, or the refusal. */
export function reserveModelCall(
	deps: Deps,
	engine: Pick<EngineRow, 'orgId' | 'provider' | 'model'> & Pick<Engine, 'payer'> & Prices,
	usage: Usage,
	{ checkAt, ignoresBreaker = false }: ReserveOptions & { checkAt: number },
): Promise<Reservation> {
	const { orgId, provider, payer, model, inputPriceMicros, outputPriceMicros } = engine
	const isPriced = inputPriceMicros !== null && outputPriceMicros !== null
	const call = {
		...{ orgId, provider, payer, model, language: null, checkAt },
		...{ purpose: 'language-model' as const, audioMs: 0 },
		...{ tokens: countTokens(usage), costMicros: computeTokenCost(usage, engine) },
	}
	return reserve(deps, call, { isPriced, ignoresBreaker })
}

async function reserve(
	deps: Deps,
	work: Omit<NewCall, 'id' | 'month' | 'createdAt'>,
	options: Pick<Terms, 'isPriced' | 'ignoresBreaker'>,
): Promise<Reservation> {
	const now = deps.clock()
	const call: NewCall = { id: newId('aic', now), month: toUtcMonth(now), createdAt: now, ...work }
	const terms = { installation: readInstallationLimits(deps, call.purpose), ...options }
	const isReserved = await callStore(deps.db).reserve(call, terms)
	return isReserved ? { call } : { refusal: await findRefusal(deps, call, terms) }
}

/** Returns the outcome of a call that completed after `ms`, at the reserved price. */
export function toCompletedEnd(
	{ audioMs, costMicros }: Pick<NewCall, 'audioMs' | 'costMicros'>,
	result: TranscriptionResult,
	ms: number,
) {
	const usedMs = computeUsedAudioMs(result, audioMs)
	return {
		...{ status: 'completed' as const, errorCode: null, audioMs: usedMs, ms },
		costMicros: audioMs === 0 ? 0 : Math.ceil((costMicros * usedMs) / audioMs),
	}
}
