import { monthOf } from '../../platform/clock.ts'
import { newId } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import type { TranscriptionResult } from '../clients/result.ts'
import { costOf, usedAudioMs } from './cost.ts'
import { type Engine, installationLimits } from './engine.ts'
import { findRefusal, type Refusal } from './refusal.ts'
import { callStore, type NewCall } from './store.ts'

type Work = Pick<NewCall, 'audioMs' | 'language' | 'checkAt' | 'subject' | 'epoch'>

/** Reserves the audio and the money of a call. Returns the call, or why it must not be made. */
export async function reserveCall(
	deps: Deps,
	orgId: string,
	engine: Pick<Engine, 'provider' | 'payer' | 'model' | 'pricePerMinuteMicros'>,
	work: Work,
	{ ignoresBreaker = false }: { ignoresBreaker?: boolean } = {},
): Promise<{ call: NewCall } | { refusal: Refusal }> {
	const now = deps.clock()
	const { provider, payer, model, pricePerMinuteMicros } = engine
	const costMicros = costOf(work.audioMs, pricePerMinuteMicros)
	const call: NewCall = {
		...{ id: newId('aic', now), orgId, provider, payer, model, costMicros },
		...{ month: monthOf(now), createdAt: now },
		...work,
	}
	const isPriced = pricePerMinuteMicros !== null
	const terms = { isPriced, installation: installationLimits(deps), ignoresBreaker }
	const isReserved = await callStore(deps.db).reserve(call, terms)
	return isReserved ? { call } : { refusal: await findRefusal(deps, call, terms) }
}

/** Returns how a call ends that took `ms`, at the price that was reserved. */
export function completedEnd(
	{ audioMs, costMicros }: Pick<NewCall, 'audioMs' | 'costMicros'>,
	result: TranscriptionResult,
	ms: number,
) {
	const usedMs = usedAudioMs(result, audioMs)
	return {
		...{ status: 'completed' as const, errorCode: null, audioMs: usedMs, ms },
		costMicros: audioMs === 0 ? 0 : Math.ceil((costMicros * usedMs) / audioMs),
	}
}
