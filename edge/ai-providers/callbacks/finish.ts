import { MINUTE } from '../../platform/clock.ts'
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

/** Longer than a process needs to hand an outcome over, and shorter than until its delivery comes again. */
const HANDING_MS = 4 * MINUTE

/** Ends an open call with its result. Returns false if another process is ending it. */
export const finishWithResult = (
	deps: Deps,
	call: CallRow,
	result: TranscriptionResult,
): Promise<boolean> => {
	const { id: callId, provider, model } = call
	return finish(deps, call, { state: 'completed', callId, provider, model, result }, async (ms) => {
		const audioMs = usedAudioMs(result, call.audioMs)
		const costMicros = call.audioMs === 0 ? 0 : Math.ceil((call.costMicros * audioMs) / call.audioMs)
		const end = { status: 'completed' as const, errorCode: null, audioMs, costMicros, ms }
		await callStore(deps.db).settle(call, end, null, deps.now)
	})
}

/** Ends an open call with an error. Returns false if another process is ending it. */
export const finishWithError = (deps: Deps, call: CallRow, error: ProviderError): Promise<boolean> =>
	finish(deps, call, failureOutcome(error), (ms) => settleFailure(deps, call, error, { ms, now: deps.now }))

/**
 * Hands the outcome over before the call ends, so that a process that dies between the two repeats it. The call is taken
 * first, so that no other process does the same at that time.
 */
async function finish(
	deps: Deps,
	call: CallRow,
	outcome: ProviderOutcome,
	settle: (ms: number) => Promise<unknown>,
): Promise<boolean> {
	const store = callStore(deps.db)
	const { id: callId, orgId, subject, epoch, createdAt } = call
	const takenAt = deps.clock()
	const until = takenAt + HANDING_MS
	if (!(await store.take(callId, takenAt, until))) return false
	try {
		if (subject !== null)
			await deps.contributions.takeTranscription(deps, { callId, orgId, subject, epoch }, outcome)
		await settle(Math.max(0, deps.now - createdAt))
		return true
	} catch (error) {
		await store.release(callId, until)
		throw error
	}
}

/** Used until a feature that comes later in the list of features takes the outcomes. */
export async function takeTranscription({ log }: Deps, { callId }: CallSubject, { state }: ProviderOutcome) {
	log.warn('no feature takes the outcome of a call', { callId, state })
}
