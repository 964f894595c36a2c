/** Returns the time of a WebVTT cue, such as 00:01:23.456. */
export function formatWebVttTime(ms: number): string {
	const parts = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1_000) % 60]
	const clock = parts.map((part) => String(part).padStart(2, '0')).join(':')
	return `${clock}.${String(ms % 1_000).padStart(3, '0')}`
}
