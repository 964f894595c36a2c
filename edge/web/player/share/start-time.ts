/** Reads what viewers type as a time: 93, 1:33 or 1:02:03; null for other texts. */
export function parseClock(text: string): number | null {
	const [, hours, minutes, seconds] = /^(?:(?:(\d{1,3}):)?(\d{1,3}):)?(\d{1,5})$/.exec(text.trim()) ?? []
	if (seconds === undefined) return null
	return Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds)
}
