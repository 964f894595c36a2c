/** Files of 40 s may have a duration of 39.999999 s. */
const ROUNDING_SEC = 0.001

export const floorSeconds = (sec: number): number => Math.max(0, Math.floor(sec + ROUNDING_SEC))

/** Returns a clock such as 1:23 or 1:02:03. */
export function formatClock(sec: number): string {
	const whole = floorSeconds(sec)
	const [hours, minutes, seconds] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60]
	const two = (value: number) => String(value).padStart(2, '0')
	return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`
}
