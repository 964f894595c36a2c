import { SECOND } from '../../platform/clock.ts'
import type { DeviceRequestRow } from './store.ts'

export const INTERVAL_SECONDS = 5
/** RFC 8628 adds this to the interval with each `slow_down`. */
const SLOWER_SECONDS = 5
const MAX_INTERVAL_SECONDS = 60
/** Two requests sent one interval apart may arrive closer together. */
const JITTER_MS = SECOND

export type PollAnswer =
	| 'authorization_pending'
	| 'slow_down'
	| 'expired_token'
	| 'access_denied'
	| 'invalid_grant'
	| 'approved'

type Polled = Pick<DeviceRequestRow, 'state' | 'expiresAt' | 'lastPolledAt' | 'intervalSeconds'>

export function answerPoll(
	{ state, expiresAt, lastPolledAt, intervalSeconds }: Polled,
	now: number,
): PollAnswer {
	// The key was already issued; a second request may come from a thief.
	if (state === 'done') return 'invalid_grant'
	if (expiresAt <= now) return 'expired_token'
	if (state === 'denied') return 'access_denied'
	if (state === 'approved') return 'approved'
	const isTooEarly = lastPolledAt !== null && now - lastPolledAt < intervalSeconds * SECOND - JITTER_MS
	return isTooEarly ? 'slow_down' : 'authorization_pending'
}

export const lengthenInterval = (seconds: number): number =>
	Math.min(seconds + SLOWER_SECONDS, MAX_INTERVAL_SECONDS)
