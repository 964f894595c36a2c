/** A cue as a player compares it; times are in seconds of the media. */
export type MappedCue = { from: number; to: number; content: string }

export type WebVttSegment = {
	/** The time of the media at cue time 0; null without a valid X-TIMESTAMP-MAP. */
	offset: number | null
	cues: MappedCue[]
	/** Lines that begin no cue, such as a malformed time. */
	malformed: string[]
}

const CLOCK_HZ = 90_000
const MAP = /^X-TIMESTAMP-MAP=(.*)$/m
const TIME = String.raw`(?:(\d{2,}):)?([0-5]\d):([0-5]\d)\.(\d{3})`
const TIMES = new RegExp(`^${TIME}[ \\t]+-->[ \\t]+${TIME}(?:[ \\t]+(.*))?$`)

/** Reads a segment of subtitles. Without a valid map, cues keep their times. */
export function readWebVtt(text: string): WebVttSegment {
	const [header = '', ...blocks] = text
		.replace(/^\uFEFF/, '')
		.replaceAll(/\r\n?/g, '\n')
		.split(/\n{2,}/)
	const offset = offsetOf(MAP.exec(header)?.[1])
	const segment: WebVttSegment = { offset, cues: [], malformed: [] }
	for (const block of blocks) {
		const lines = block.split('\n').filter((line) => line !== '')
		if (lines.length === 0 || /^(NOTE|STYLE|REGION)\b/.test(lines[0] ?? '')) continue
		const at = lines[0]?.includes('-->') ? 0 : 1
		const [, ...parts] = TIMES.exec(lines[at] ?? '') ?? []
		if (parts.length === 0) segment.malformed.push(lines[at] ?? lines[0] ?? '')
		else
			segment.cues.push({
				from: secondsOf(parts.slice(0, 4)) + (offset ?? 0),
				to: secondsOf(parts.slice(4, 8)) + (offset ?? 0),
				content: [parts[8] ?? '', ...lines.slice(at + 1)].join('\n'),
			})
	}
	return segment
}

function offsetOf(map: string | undefined): number | null {
	const ticks = /(?:^|,)MPEGTS:(\d+)(?:,|$)/.exec(map ?? '')?.[1]
	const local = /(?:^|,)LOCAL:([\d:.]+)(?:,|$)/.exec(map ?? '')?.[1]
	const parts = new RegExp(`^${TIME}$`).exec(local ?? '')?.slice(1)
	return ticks === undefined || !parts ? null : Number(ticks) / CLOCK_HZ - secondsOf(parts)
}

const secondsOf = ([hours = '0', minutes, seconds, ms]: (string | undefined)[]): number =>
	Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds) + Number(ms) / 1_000
