import type { Happening, PhaseChange } from '../../../../../edge/web/player/reporting/happenings.ts'
import { type LogOptions, openPlaybackLog } from '../../../../../edge/web/player/reporting/playback-log.ts'

/** How often browsers report the position. */
const STEP_MS = 250

/** A log with a clock and a video that only this script moves. */
export function openScript(options: Partial<LogOptions> = {}) {
	const openedAt = 5_000
	let clockMs = openedAt
	let sec = options.sec ?? 0
	let rate = 1
	const log = openPlaybackLog({ now: () => clockMs, sec, rate, ...options })
	const record = (happening: Happening) => log.record(happening, sec)
	const happen = (...kinds: (Exclude<PhaseChange, 'failed'> | 'timeupdate')[]) => {
		for (const kind of kinds) record({ kind })
	}
	return {
		log,
		record,
		happen,
		state: () => log.state(sec),
		/** Time passes, and the video stands still. */
		wait(ms: number) {
			clockMs += ms
		},
		/** The video plays, and reports its position. */
		play(ms: number) {
			for (let left = ms; left > 0; left -= STEP_MS) {
				const step = Math.min(left, STEP_MS)
				clockMs += step
				sec += (step * rate) / 1_000
				happen('timeupdate')
			}
		},
		/** Plays without reporting the position, as between two reports. */
		playSilently(ms: number) {
			clockMs += ms
			sec += (ms * rate) / 1_000
		},
		/** The position changes, and the browser reports that in this order. */
		jump(toSec: number, ...kinds: ('timeupdate' | 'seeking')[]) {
			sec = toSec
			happen(...kinds)
		},
		/** The viewer seeks, and the data is there after some time. */
		seek(toSec: number, ms: number) {
			sec = toSec
			happen('seeking', 'waiting')
			clockMs += ms
			happen('seeked', 'playing')
		},
		/** The viewer seeks in a paused video. */
		seekPaused(toSec: number, ms: number) {
			sec = toSec
			happen('seeking')
			clockMs += ms
			happen('seeked')
		},
		elapsedMs: () => clockMs - openedAt,
		setRate(next: number) {
			record({ kind: 'ratechange', rate: next })
			rate = next
		},
		/** Plays for the first time, after the viewer waited. */
		start(waitMs = 300) {
			happen('play', 'waiting')
			clockMs += waitMs
			happen('playing')
		},
	}
}

export type Script = ReturnType<typeof openScript>
