import { DAY, HOUR, MINUTE, SECOND } from '../../../platform/clock.ts'

/** The waits before the attempts after the first one. */
const WAITS_MS = [
	5 * SECOND,
	5 * MINUTE,
	30 * MINUTE,
	2 * HOUR,
	5 * HOUR,
	10 * HOUR,
	14 * HOUR,
	20 * HOUR,
	24 * HOUR,
]
const JITTER = 0.1

export const BREAK = { firstMs: MINUTE, maxMs: HOUR }
/** Deliveries are switched off after this time without a success. */
export const SWITCH_OFF_MS = 5 * DAY
/** Without a failure for this time, such as during a suspension, the five days start again. */
export const FAILURE_GAP_MS = 2 * DAY
/** How long before that the owners are warned. */
export const WARNING_MS = DAY

/**
 * Returns the wait before the next attempt of a delivery, or null after the last one. `random` from 0 to 1 spreads
 * deliveries that failed at the same time.
 */
export function computeRetryDelay(attempts: number, random: number): number | null {
	const wait = WAITS_MS[attempts - 1]
	return wait === undefined ? null : Math.round(wait * (1 + JITTER * random))
}
