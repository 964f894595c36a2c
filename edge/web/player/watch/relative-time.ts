/** Units in milliseconds, largest first. Months and years have their average length in the Gregorian calendar. */
const units = [
	['year', 31_556_952_000],
	['month', 2_629_746_000],
	['week', 604_800_000],
	['day', 86_400_000],
	['hour', 3_600_000],
	['minute', 60_000],
] as const

/** Formats a difference from now in milliseconds. Future times count as now, because the clock of a viewer may be slow. */
export function formatRelativeTime(ms: number, language: string): string {
	const past = Math.min(0, ms)
	const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
	for (const [unit, length] of units)
		if (past <= -length) return format.format(Math.ceil(past / length), unit)
	return format.format(0, 'second')
}
