import Hls from 'hls.js'
import type { Position } from './position.ts'

/** How often the decoder is reset near one place of the video before another codec is tried. */
const MAX_RESETS = 2
const NEARBY_SEC = 5
const RESETS_FORGOTTEN_MS = 60_000
const NO_RESETS = { count: 0, sec: 0, at: Number.NEGATIVE_INFINITY }
/** How many damaged places in a row are left out if there is no other codec. */
const MAX_SKIPS = 2
/** How much to load ahead after an error, so that the next one happens close to the damage. */
const CAREFUL_BUFFER = { maxBufferLength: 8, maxBufferSize: 1 }

export type DecoderRecovery = {
	/** Returns what to tell the viewer, if anything. */
	recover(): 'changing-codec' | 'failed' | null
	retry(): void
	hasFailed(): boolean
}

/**
 * Goes on after an error of the decoder: resets it, then removes the codec, then leaves out the damaged segments. hls.js
 * itself would reset the decoder for ever, as it forgets errors at each intact segment.
 */
export function recoverDecoder(hls: Hls, position: Position): DecoderRecovery {
	let hasFailed = false
	let resets = NO_RESETS
	/** The last segment of the video that the browser got. */
	let appended: { codec: string | undefined; endSec: number } | undefined

	hls.on(Hls.Events.BUFFER_APPENDING, (_, { frag }) => {
		if (frag.type === 'main') appended = { codec: codecOf(frag.level), endSec: frag.end }
	})

	const codecOf = (level: number) => hls.levels[level]?.videoCodec?.slice(0, 4)
	/** Attaches the video again, and loads from where it was. */
	const reset = () => {
		hls.stopLoad()
		// hls.js never requests again what it could not append, such as segments after the error.
		for (const { details } of [...hls.levels, ...hls.audioTracks])
			for (const segment of details?.fragments ?? []) segment.gap = false
		const sec = position.sec()
		hls.recoverMediaError()
		hls.startLoad(sec)
	}
	const countReset = () => {
		const sec = position.sec()
		const now = performance.now()
		const isNearby = Math.abs(sec - resets.sec) < NEARBY_SEC && now - resets.at < RESETS_FORGOTTEN_MS
		resets = { count: isNearby ? resets.count + 1 : 1, sec, at: now }
	}
	const removeCodec = () => {
		const codec = appended?.codec
		const isSame = hls.levels.map((_, at) => codecOf(at) === codec)
		if (codec === undefined || !isSame.includes(false)) return false
		for (let at = isSame.length - 1; at >= 0; at--) if (isSame[at]) hls.removeLevel(at)
		resets = NO_RESETS
		return true
	}
	const skipSegments = () => {
		const sec = appended?.endSec ?? Number.POSITIVE_INFINITY
		const durationSec = hls.latestLevelDetails?.edge ?? 0
		if (resets.count > MAX_RESETS + MAX_SKIPS || sec > durationSec - 1) return false
		resets.sec = sec
		position.set(sec)
		return true
	}

	return {
		recover() {
			hasFailed = true
			Object.assign(hls.config, CAREFUL_BUFFER)
			countReset()
			const isChanging = resets.count > MAX_RESETS && removeCodec()
			if (resets.count > MAX_RESETS && !skipSegments()) {
				hls.stopLoad()
				return 'failed'
			}
			reset()
			return isChanging ? 'changing-codec' : null
		},
		retry() {
			resets = NO_RESETS
			reset()
		},
		hasFailed: () => hasFailed,
	}
}
