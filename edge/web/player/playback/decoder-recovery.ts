import Hls, { type ErrorData } from 'hls.js'
import { type BufferGoal, ONE_SEGMENT } from './engine-config.ts'
import { type HeldSegments, holdSegments } from './held-segments.ts'
import type { Loading } from './loading.ts'
import type { Position } from './position.ts'

/** Decoder resets at one position before another codec is tried. */
const MAX_RESETS = 2
/** Consecutive damaged segments that are skipped without another codec. */
const MAX_SKIPS = 2
const NEARBY_SEC = 5
/** How long before the end of the buffer the next segment is requested after an error. */
const LEAD_SEC = 1
const NO_ERRORS = { count: 0, sec: Number.NEGATIVE_INFINITY }

export type DecoderRecovery = {
	/** Returns the problem to show, or null. */
	recover(error?: ErrorData): 'changing-codec' | 'failed' | null
	/** Forgets earlier errors. */
	forget(): void
	retry(): void
	/** Sets how much to buffer. After an error, it applies once playback has passed the damage. */
	setBufferGoal(goal: BufferGoal): void
	untilDue: HeldSegments['untilDue']
}

/**
 * Continues after an error of the decoder: resets it, then removes the codec, then skips the damaged segment. hls.js itself
 * would reset the decoder for ever, as it forgets errors at each intact segment.
 */
export function recoverDecoder(
	hls: Hls,
	media: HTMLMediaElement,
	position: Position,
	loading: Loading,
): DecoderRecovery {
	/** The number of errors near one position, and the position of the last one. */
	let errors = NO_ERRORS
	/** The last segment of the video that the browser got since the decoder was reset. */
	let appended: { codec: string | undefined; endSec: number } | null = null
	let goal = ONE_SEGMENT
	/** Up to this position, little is buffered, so that the next error occurs close to the damage. */
	let carefulUntilSec: number | null = null

	const codecOf = (level: number) => hls.levels[level]?.videoCodec?.slice(0, 4)
	const applyGoal = () => Object.assign(hls.config, carefulUntilSec === null ? goal : ONE_SEGMENT)
	// hls.js itself may request a segment early, as long as it has not noticed that the one before it is loaded.
	const held = holdSegments(
		media,
		(startSec) => carefulUntilSec === null || startSec - position.sec() < LEAD_SEC,
	)
	const forget = () => {
		errors = NO_ERRORS
		carefulUntilSec = null
		applyGoal()
		held.releaseDue()
	}
	hls.on(Hls.Events.BUFFER_APPENDING, (_, { frag }) => {
		if (frag.type === 'main') appended = { codec: codecOf(frag.level), endSec: frag.end }
	})
	hls.on(Hls.Events.FRAG_CHANGED, () => {
		if (carefulUntilSec !== null && position.sec() > carefulUntilSec) forget()
	})

	/** Attaches the video again, and loads from where it was. */
	const reset = () => {
		// hls.js may have reattached the video and be loading.
		loading.stop()
		// hls.js treats segments that it failed to append as gaps, and never requests them again.
		for (const { details } of [...hls.levels, ...hls.audioTracks])
			for (const segment of details?.fragments ?? []) segment.gap = false
		position.set(position.sec())
		appended = null
		hls.recoverMediaError()
		loading.restart()
	}
	const count = () => {
		const sec = position.sec()
		const isNearby = Math.abs(sec - errors.sec) < NEARBY_SEC
		errors = { count: isNearby ? errors.count + 1 : 1, sec }
		carefulUntilSec = Math.max(carefulUntilSec ?? 0, (appended?.endSec ?? sec) + NEARBY_SEC)
		applyGoal()
	}
	const removeCodec = () => {
		const codec = appended?.codec
		const isSame = hls.levels.map((_, at) => codecOf(at) === codec)
		if (codec === undefined || !isSame.includes(false)) return false
		for (let at = isSame.length - 1; at >= 0; at--) if (isSame[at]) hls.removeLevel(at)
		forget()
		return true
	}
	const skipDamage = () => {
		const sec = appended?.endSec ?? Number.POSITIVE_INFINITY
		const durationSec = hls.latestLevelDetails?.edge ?? 0
		if (errors.count > MAX_RESETS + MAX_SKIPS || sec > durationSec - 1) return false
		// Counts an error after the skip with those before it, so that skipping ends.
		errors = { ...errors, sec }
		position.set(sec)
		return true
	}

	return {
		recover(error) {
			// Phones close the decoder while the page is hidden, which is not damage.
			if (document.hidden) {
				reset()
				return null
			}
			count()
			const isAudio = error?.parent === 'audio'
			const isChanging = errors.count > MAX_RESETS && !isAudio && removeCodec()
			if (errors.count > MAX_RESETS && !skipDamage()) {
				loading.stop()
				return 'failed'
			}
			reset()
			return isChanging ? 'changing-codec' : null
		},
		forget,
		retry() {
			forget()
			reset()
		},
		setBufferGoal(next) {
			goal = next
			applyGoal()
		},
		untilDue: held.untilDue,
	}
}
