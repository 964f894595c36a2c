/** The only code that reads the wall clock. A request or run reads it once; tests pass their own clock. */
export type Clock = () => number
export const systemClock: Clock = () => Date.now()

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export const toIso = (instant: number): string => new Date(instant).toISOString()
export const toIsoOrNull = (instant: number | null): string | null =>
	instant === null ? null : toIso(instant)

/** Returns the start of an instant's hour or day (UTC). */
export const startOfHour = (instant: number): number => Math.floor(instant / HOUR) * HOUR
export const startOfDay = (instant: number): number => Math.floor(instant / DAY) * DAY

/** Returns the day (UTC), such as `2026-11-21`. */
export const toUtcDay = (instant: number): string => toIso(instant).slice(0, 10)

/** Returns the month (UTC) in the format of `usage_counters`, such as `2026-11`. */
export const toUtcMonth = (instant: number): string => toIso(instant).slice(0, 7)

/** Returns the start of an instant's month (UTC). */
export const startOfMonth = (instant: number): number => monthStartAfter(instant, 0)
export const startOfNextMonth = (instant: number): number => monthStartAfter(instant, 1)

const monthStartAfter = (instant: number, later: number): number => {
	const date = new Date(instant)
	return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1)
}
