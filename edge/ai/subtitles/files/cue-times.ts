const TIME = String.raw`(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d+))?`
const TIMES = new RegExp(`^${TIME}[ \\t]*-->[ \\t]*${TIME}(?:[ \\t].*)?$`)

type Times = { fromMs: number; toMs: number; problem: string | null }

/** Parses the timing line of a cue, ignoring its settings; null for any other line. */
export function parseCueTimes(line: string): Times | null {
	const parts = TIMES.exec(line)?.slice(1)
	if (!parts) return null
	const [fromMs, toMs] = [msOf(parts.slice(0, 4)), msOf(parts.slice(4, 8))]
	return { fromMs, toMs, problem: problemOf(parts, fromMs, toMs) }
}

function problemOf(parts: readonly (string | undefined)[], fromMs: number, toMs: number): string | null {
	if ([parts[1], parts[2], parts[5], parts[6]].some((part) => Number(part) > 59))
		return 'minutes and seconds must be below 60; correct the time'
	// Without all digits, programs disagree about what 1.5 is.
	if ([parts[3], parts[7]].some((part) => part !== undefined && part.length !== 3))
		return 'milliseconds must have three digits; correct the time'
	return toMs > fromMs ? null : 'the end must be after the beginning; correct the time'
}

const msOf = ([hours = '0', minutes, seconds, ms = '0']: (string | undefined)[]): number =>
	((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000 + Number(ms)
