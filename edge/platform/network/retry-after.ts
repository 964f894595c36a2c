import { DAY, SECOND } from '../clock.ts'

/** Another server can't delay requests for longer by `Retry-After`. */
const MAX_RETRY_AFTER_MS = DAY

/** Returns how many milliseconds a `Retry-After` header, in seconds or as a date, asks to wait; null without a valid one. */
export function parseRetryAfter(value: string | null, now: number): number | null {
	if (value === null) return null
	const wait = /^\d{1,9}$/.test(value.trim()) ? Number(value) * SECOND : Date.parse(value) - now
	return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), MAX_RETRY_AFTER_MS) : null
}
