import type { Deps } from '../../platform/deps.ts'
import { usedAudioMs } from '../calls/cost.ts'
import { settleFailure } from '../calls/failure.ts'
import { failureOutcome, type ProviderOutcome } from '../calls/outcome.ts'
import { type CallRow, callStore } from '../calls/store.ts'
import type { ProviderError } from '../clients/provider-error.ts'
import type { TranscriptionResult } from '../clients/result.ts'

/** The work that a call was made for, as its caller named it. */
type CallSubject = { callId: string; orgId: string; subject: string; epoch: number }

declare module '../../platform/deps.ts' {
	interface Contributions {
		/** Takes the outcome of a call that was answered later. The same outcome may come twice. */
		takeTranscription(deps: Deps, call: CallSubject, outcome: ProviderOutcome): Promise<void>
	}
}

export async function finishWithResult(
	deps: Deps,
	call: CallRow,
	result: TranscriptionResult,
): Promise<void> {
	const audioMs = usedAudioMs(result, call.audioMs)
	const costMicros = call.audioMs === 0 ? 0 : Math.ceil((call.costMicros * audioMs) / call.audioMs)
	const { id: callId, provider, model } = call
	await hand(deps, call, { state: 'completed', callId, provider, model, result })
	const end = { status: 'completed' as const, errorCode: null, audioMs, costMicros }
	await callStore(deps.db).settle(call, { ...end, ms: msOf(deps, call) }, null, deps.now)
}

export async function finishWithError(deps: Deps, call: CallRow, error: ProviderError): Promise<void> {
	await hand(deps, call, failureOutcome(error))
	await settleFailure(deps, call, error, { ms: msOf(deps, call), now: deps.now })
}

const msOf = ({ now }: Deps, { createdAt }: CallRow): number => Math.max(0, now - createdAt)

/** Comes before the call ends, so that a process that dies between the two repeats it. */
async function hand(deps: Deps, call: CallRow, outcome: ProviderOutcome): Promise<void> {
	const { id: callId, orgId, subject, epoch } = call
	if (subject === null) return
	await deps.contributions.takeTranscription(deps, { callId, orgId, subject, epoch }, outcome)
}

/** Used until a feature that comes later in the list of features takes the outcomes. */
export async function takeTranscription({ log }: Deps, { callId }: CallSubject, { state }: ProviderOutcome) {
	log.warn('no feature takes the outcome of a call', { callId, state })
}
