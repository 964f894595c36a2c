import { HOUR, MINUTE } from '../../../platform/clock.ts'
import { MAX_ATTEMPTS } from '../../../video/transcoding/plan/retry.ts'
import type { ProviderOutcome } from '../../providers/calls/outcome.ts'

export type RetryOutcome = Extract<ProviderOutcome, { state: 'retry' }>

const MAX_WAIT_MS = HOUR
const GROWTH = 4

/**
 * Decides when a chunk is tried again: after 1, 4 and 16 minutes, or later if the provider asks. Null: no more. Where no
 * call was made, or the provider only limits how many, nothing is charged; the sweep ends the wait after a day.
 */
export function retryAfter(
	{ code, afterMs }: Pick<RetryOutcome, 'code' | 'afterMs'>,
	attempts: number,
): { ms: number; isCharged: boolean } | null {
	const isCharged = code !== null && code !== 'rate_limited'
	if (isCharged && attempts >= MAX_ATTEMPTS) return null
	const backoffMs = isCharged ? MINUTE * GROWTH ** (attempts - 1) : 0
	return { ms: Math.min(Math.max(afterMs, backoffMs), MAX_WAIT_MS), isCharged }
}
