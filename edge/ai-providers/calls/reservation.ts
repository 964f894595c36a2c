import { monthOf, SECOND } from '../../platform/clock.ts'
import { newId } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import type { TranscriptionResult } from '../clients/result.ts'
import { costOf, usedAudioMs } from './cost.ts'
import type { Engine } from './engine.ts'
import { findRefusal, type Refusal } from './refusal.ts'
import { callStore, type NewCall } from './store.ts'

type Work = Pick<NewCall, 'audioMs' | 'language' | 'checkAt' | 'subject' | 'epoch'>

/** Reserves the audio and the money of a call. Returns the call, or why it must not be made. */
export async function reserveCall(
	deps: Deps,
	orgId: string,
	{ provider, model, pricePerMinuteMicros }: Pick<Engine, 'provider' | 'model' | 'pricePerMinuteMicros'>,
	work: Work,
	{ ignoresBreaker = false }: { ignoresBreaker?: boolean } = {},
): Promise<{ call: NewCall } | { refusal: Refusal }> {
	const now = deps.clock()
	const costMicros = costOf(work.audioMs, pricePerMinuteMicros)
	const call: NewCall = {
		...{ id: newId('aic', now), orgId, provider, model, costMicros, month: monthOf(now) },
		...work,
	}
	const seconds = deps.env.vars.TRANSCRIPTION_SECONDS_PER_MONTH
	const installationMaxAudioMs = seconds === undefined ? null : seconds * SECOND
	const terms = { isPriced: pricePerMinuteMicros !== null, installationMaxAudioMs, ignoresBreaker }
	const isReserved = await callStore(deps.db).reserve(call, terms, now)
	return isReserved ? { call } : { refusal: await findRefusal(deps, call, terms, now) }
}

/** Returns how a call ends that took `ms`, at the price that was reserved. */
export function completedEnd({ audioMs, costMicros }: NewCall, result: TranscriptionResult, ms: number) {
	const usedMs = usedAudioMs(result, audioMs)
	return {
		...{ status: 'completed' as const, errorCode: null, audioMs: usedMs, ms },
		costMicros: audioMs === 0 ? 0 : Math.ceil((costMicros * usedMs) / audioMs),
	}
}
