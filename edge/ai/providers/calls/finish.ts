import { MINUTE } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { ProviderError } from '../clients/provider-error.ts'
import type { TranscriptionResult } from '../clients/result.ts'
import { countCall } from '../metrics.ts'
import { settleFailure } from './failure.ts'
import { type ProviderOutcome, toFailureOutcome } from './outcome.ts'
import { toCompletedEnd } from './reservation.ts'
import { callStore, type NewCall } from './store.ts'

/** Longer than handing over an outcome takes, and shorter than the redelivery interval. */
const HANDING_MS = 4 * MINUTE

/** Ends an open call with its result. Returns false if another process is ending it. */
export function finishWithResult(deps: Deps, call: NewCall, result: TranscriptionResult): Promise<boolean> {
	const { id: callId, provider, model } = call
	return finish(deps, call, { state: 'completed', callId, provider, model, result }, (ms, now) =>
		callStore(deps.db).settle(call, toCompletedEnd(call, result, ms), null, now),
	)
}

/** Ends an open call with an error. Returns false if another process is ending it. */
export const finishWithError = (deps: Deps, call: NewCall, error: ProviderError): Promise<boolean> =>
	finish(deps, call, toFailureOutcome(error), (ms, now) => settleFailure(deps, call, error, { ms, now }))

/**
 * Hands over the outcome before ending the call, so that a process that dies in between repeats it. Claims the call
 * first, because a callback may arrive while the request fails.
 */
async function finish(
	deps: Deps,
	{ id: callId, orgId, provider, subject = null, epoch = 0, createdAt }: NewCall,
	outcome: ProviderOutcome,
	settle: (ms: number, now: number) => Promise<unknown>,
): Promise<boolean> {
	const store = callStore(deps.db)
	const endedAt = deps.clock()
	const until = endedAt + HANDING_MS
	if (!(await store.claim(callId, endedAt, until))) return false
	try {
		if (subject !== null)
			await deps.contributions.takeTranscription(deps, { callId, orgId, subject, epoch }, outcome)
		const ms = Math.max(0, endedAt - createdAt)
		await settle(ms, endedAt)
		countCall(deps, { provider }, { outcome: outcome.state === 'completed' ? 'completed' : 'failed', ms })
		return true
	} catch (error) {
		await store.release(callId, until)
		throw error
	}
}
