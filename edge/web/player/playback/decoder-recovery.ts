import Hls, { type ErrorData } from 'hls.js'
import type { Position } from './position.ts'

/** How often the decoder is reset near one place of the video before another codec is tried. */
const MAX_RESETS = 2
/** How many times in a row the video goes on behind the damage if there is no other codec. */
const MAX_SKIPS = 2
const NEARBY_SEC = 5
const NO_ERRORS = { count: 0, sec: Number.NEGATIVE_INFINITY }

/** How much to load ahead, in seconds and bytes. */
export type BufferGoal = { maxBufferLength: number; maxBufferSize: number }
/** After an error, segments are loaded just in time, so that the next one happens close to the damage. */
const CAREFUL_GOAL: BufferGoal = { maxBufferLength: 1, maxBufferSize: 1 }

export type DecoderRecovery = {
	/** Returns what to tell the viewer, if anything. */
	recover(error?: ErrorData): 'changing-codec' | 'failed' | null
	/** Forgets earlier errors. */
	forget(): void
	retry(): void
	/** Sets how much to load ahead, as soon as no damage is expected. */
	setBufferGoal(goal: BufferGoal): void
}

/**
 * Goes on after an error of the decoder: resets it, then removes the codec, then goes on behind the damaged segment. hls.js
 * itself would reset the decoder for ever, as it forgets errors at each intact segment.
 */
export function recoverDecoder(hls: Hls, position: Position, startLoad: () => void): DecoderRecovery {
	/** Errors near one place. */
	let errors = NO_ERRORS
	/** The last segment of the video that the browser got since the decoder was reset. */
	let appended: { codec: string | undefined; endSec: number } | null = null
	let goal: BufferGoal | null = null
	/** Up to where damage is expected. */
	let carefulUntilSec: number | null = null

	const codecOf = (level: number) => hls.levels[level]?.videoCodec?.slice(0, 4)
	const { maxBufferLength, maxBufferSize } = hls.config
	const applyGoal = () => {
		const usual = goal ?? { maxBufferLength, maxBufferSize }
		Object.assign(hls.config, carefulUntilSec === null ? usual : CAREFUL_GOAL)
	}
	const forget = () => {
		errors = NO_ERRORS
		carefulUntilSec = null
		applyGoal()
	}
	hls.on(Hls.Events.BUFFER_APPENDING, (_, { frag }) => {
		if (frag.type === 'main') appended = { codec: codecOf(frag.level), endSec: frag.end }
	})
	hls.on(Hls.Events.FRAG_CHANGED, () => {
		if (carefulUntilSec !== null && position.sec() > carefulUntilSec) forget()
	})

	/** Attaches the video again, and loads from where it was. */
	const reset = () => {
		hls.stopLoad()
		// hls.js never requests again what it could not append, such as segments after the error.
		for (const { details } of [...hls.levels, ...hls.audioTracks])
			for (const segment of details?.fragments ?? []) segment.gap = false
		position.set(position.sec())
		appended = null
		hls.recoverMediaError()
		startLoad()
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
		// Another error there counts as one more at the same place.
		errors.sec = sec
		position.set(sec)
		return true
	}

	return {
		recover(error) {
			// Phones close the decoder of a page that nobody sees.
			if (document.hidden) {
				reset()
				return null
			}
			count()
			const isAudio = error?.parent === 'audio'
			const isChanging = errors.count > MAX_RESETS && !isAudio && removeCodec()
			if (errors.count > MAX_RESETS && !skipDamage()) {
				hls.stopLoad()
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
	}
}
