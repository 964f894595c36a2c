import { DAY, SECOND } from '../clock.ts'

/** The longest delay that another server may impose. */
const MAX_RETRY_AFTER_MS = DAY

/** Parses `Retry-After`, in seconds or as a date, to milliseconds; null without a valid value. */
export function parseRetryAfter(value: string | null, now: number): number | null {
	if (value === null) return null
	const wait = /^\d{1,9}$/.test(value.trim()) ? Number(value) * SECOND : Date.parse(value) - now
	return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), MAX_RETRY_AFTER_MS) : null
}
