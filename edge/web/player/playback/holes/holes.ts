import Hls, { type ErrorData, type Fragment, type FragmentLoaderContext } from 'hls.js'
import type { Hole } from '../engine-types.ts'
import type { Loading } from '../loading.ts'
import type { Position } from '../position.ts'
import { makeSilentSegment, readStartSec } from './silent-segment.ts'

const MISSING = [404, 410]
/** The number of failed requests after which a segment counts as missing. */
const MAX_TRIES = 3
/** The maximum number of consecutive segments to skip. If more are missing, the whole video may be. */
const MAX_IN_A_ROW = 3
/** Browsers stop slightly before the end of their buffer. */
const TOLERANCE_SEC = 0.25

export type Holes = ReturnType<typeof healHoles>

type Span = { startSec: number; endSec: number }

type HoleOptions = {
	hls: Hls
	media: HTMLVideoElement
	position: Position
	loading: Loading
	/** Called when playback reaches a hole. */
	onHole: (hole: Hole) => void
}

/** Continues playback where the server lacks segments: skips missing video, and replaces missing audio with silence if the codec allows. */
export function healHoles({ hls, media, position, loading, onHole }: HoleOptions) {
	const tries = new Map<string, number>()
	const silent = new Map<string, Span>()
	/** For each type of segment, how many seconds the times in its files are ahead of the playback position. */
	const offsets: { main?: number; audio?: number } = {}
	/** Skipped segments since the last intact one, by their type. */
	const inARow = new Map<string, number>()
	/** The missing part that playback has yet to reach. */
	let ahead: Span | null = null
	let heard: Span | null = null

	const skipIfReached = () => {
		const sec = position.sec()
		if (!ahead || bufferedUntil(media, sec) - sec > TOLERANCE_SEC) return
		const { endSec } = ahead
		onHole('skipped')
		// No segment follows. Playback continues if the viewer seeks back.
		if (endSec > (hls.latestLevelDetails?.edge ?? 0) - TOLERANCE_SEC) return media.pause()
		ahead = null
		position.set(endSec)
		if (media.readyState > HTMLMediaElement.HAVE_NOTHING) media.currentTime = endSec
		loading.restart()
	}
	const announceSilence = () => {
		const sec = position.sec()
		const span = [...silent.values()].find(({ startSec, endSec }) => startSec <= sec && sec < endSec) ?? null
		if (span && span !== heard && !media.paused) onHole('silent')
		heard = span
	}
	for (const event of ['timeupdate', 'waiting', 'playing'])
		media.addEventListener(event, () => {
			skipIfReached()
			announceSilence()
		})
	media.addEventListener('seeking', () => {
		if (!ahead) return
		// The viewer has moved to another position, where the segments may exist.
		ahead = null
		loading.restart()
	})
	hls.on(Hls.Events.FRAG_LOADED, (_, { frag, payload }) => {
		const init = frag.initSegment?.data
		const startSec = init && frag.type !== 'subtitle' ? readStartSec(init, new Uint8Array(payload)) : null
		if (startSec !== null) offsets[frag.type as 'main' | 'audio'] = startSec - frag.start
	})
	hls.on(Hls.Events.FRAG_BUFFERED, (_, { frag }) => {
		if (frag.sn !== 'initSegment') inARow.delete(frag.type)
	})

	/** Returns a silent segment with the time of an audio segment; null for codecs of which there is no silence. */
	const makeSilence = ({ type, initSegment, start, duration }: Fragment): Uint8Array | null => {
		const init = initSegment?.data
		if (type !== 'audio' || !init) return null
		return makeSilentSegment(init, start + (offsets.audio ?? offsets.main ?? 0), duration)
	}

	return {
		/** Handles a fatal error of a request. Returns false if the caller should retry the request. */
		heal(error: ErrorData): boolean {
			const { frag } = error
			if (!frag || !isMissingSegment(error)) return false
			const key = keyOf(frag)
			const count = (tries.get(key) ?? 0) + 1
			tries.set(key, count)
			if (count < MAX_TRIES) return false
			const span = { startSec: frag.start, endSec: frag.end }
			if (makeSilence(frag)) {
				silent.set(key, span)
				loading.restart()
				return true
			}
			const skipped = inARow.get(frag.type) ?? 0
			if (skipped >= MAX_IN_A_ROW) return false
			inARow.set(frag.type, skipped + 1)
			ahead = span
			skipIfReached()
			return true
		},
		/** Returns a silent segment in place of a missing audio segment; null for other segments. */
		replace({ frag }: Pick<FragmentLoaderContext, 'frag'>): Uint8Array | null {
			return silent.has(keyOf(frag)) ? makeSilence(frag) : null
		},
		forget() {
			tries.clear()
			silent.clear()
			ahead = null
			inARow.clear()
		},
	}
}

/** Whether the status of the response means that the segment does not exist. */
export const isMissingSegment = ({ frag, response }: ErrorData): boolean =>
	frag !== undefined && frag.sn !== 'initSegment' && MISSING.includes(response?.code ?? 0)

/** Returns a key that all qualities of a video segment share, and that differs between audio tracks. */
const keyOf = ({ type, level, sn }: Fragment): string => `${type} ${type === 'audio' ? level : ''} ${sn}`

function bufferedUntil({ buffered }: HTMLMediaElement, sec: number): number {
	for (let at = 0; at < buffered.length; at++)
		if (buffered.start(at) <= sec + TOLERANCE_SEC && sec < buffered.end(at)) return buffered.end(at)
	return sec
}
