import { DAY, HOUR, MINUTE, SECOND } from '../../platform/clock.ts'

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

export const BREAKER_FIRST_MS = MINUTE
export const BREAKER_MAX_MS = HOUR
/** A receiver can't delay deliveries for longer by `Retry-After`. */
const MAX_RETRY_AFTER_MS = DAY
/** Deliveries are switched off after this time without a success. */
export const SWITCH_OFF_MS = 5 * DAY
/** Without a failure for this time, such as during a suspension, the five days start again. */
export const FAILURE_GAP_MS = 2 * DAY
/** The owners are warned this long before. */
export const WARNING_MS = DAY

/**
 * Returns the wait before the next attempt of a delivery, or null after the last one. `random` from 0 to 1 spreads
 * deliveries that failed at the same time.
 */
export function waitAfter(attempts: number, random: number): number | null {
	const wait = WAITS_MS[attempts - 1]
	return wait === undefined ? null : Math.round(wait * (1 + JITTER * random))
}

/** Parses `Retry-After`, in seconds or as a date. Returns null if it is missing or invalid. */
export function parseRetryAfter(value: string | null, now: number): number | null {
	if (value === null) return null
	const wait = /^\d{1,9}$/.test(value.trim()) ? Number(value) * SECOND : Date.parse(value) - now
	return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), MAX_RETRY_AFTER_MS) : null
}
