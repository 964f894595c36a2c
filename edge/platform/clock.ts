/** The only code that reads the wall clock. A request or run reads it once; tests pass their own clock. */
export type Clock = () => number
export const systemClock: Clock = () => Date.now()

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export const iso = (instant: number): string => new Date(instant).toISOString()
export const isoOrNull = (instant: number | null): string | null => (instant === null ? null : iso(instant))

/** Returns when the hour or the day (UTC) of an instant begins. */
export const hourStart = (instant: number): number => Math.floor(instant / HOUR) * HOUR
export const dayStart = (instant: number): number => Math.floor(instant / DAY) * DAY

/** Returns the day (UTC), such as `2026-11-21`. */
export const utcDay = (instant: number): string => iso(instant).slice(0, 10)

/** Returns the month (UTC) in the format of `usage_counters`, such as `2026-11`. */
export const utcMonth = (instant: number): string => iso(instant).slice(0, 7)

/** Returns when the month (UTC) of an instant begins. */
export const monthStart = (instant: number): number => startOfMonth(instant, 0)
export const nextMonthStart = (instant: number): number => startOfMonth(instant, 1)

const startOfMonth = (instant: number, later: number): number => {
	const date = new Date(instant)
	return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1)
}
