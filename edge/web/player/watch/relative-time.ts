/** The largest first. Milliseconds; a month and a year are those of the Gregorian calendar on average. */
const units = [
	['year', 31_556_952_000],
	['month', 2_629_746_000],
	['week', 604_800_000],
	['day', 86_400_000],
	['hour', 3_600_000],
	['minute', 60_000],
] as const

/** Formats a difference in milliseconds, such as "3 days ago". The clock of a viewer may be slow, so nothing is later than now. */
export function formatRelativeTime(ms: number, language: string): string {
	const past = Math.min(0, ms)
	const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
	for (const [unit, length] of units)
		if (past <= -length) return format.format(Math.ceil(past / length), unit)
	return format.format(0, 'second')
}
