import Hls, { type ErrorData } from 'hls.js'
import { recoverDecoder } from './decoder-recovery.ts'
import type { BufferGoal } from './engine-config.ts'
import type { Hole, Problem } from './engine-types.ts'
import type { HeldSegments } from './held-segments.ts'
import { type Holes, healHoles, isMissingSegment } from './holes/holes.ts'
import type { Loading } from './loading.ts'
import type { Position } from './position.ts'

/** Seconds between attempts to reach the server; the last one repeats. */
const RETRY_SEC = [1, 2, 4, 8, 16, 30]
/** How long responses to requests with a former token may arrive. */
const RENEWAL_MS = 10_000
const EXPIRED = [401, 403]

export type Recovery = {
	/** Continues with a new token. */
	renewed(): void
	retry(): void
	/** Retries after a failure: the video may be intact elsewhere. */
	retryIfFailed(): void
	setBufferGoal(goal: BufferGoal): void
	untilDue: HeldSegments['untilDue']
	replaceSegment: Holes['replace']
}

export type RecoveryOptions = {
	hls: Hls
	media: HTMLVideoElement
	position: Position
	loading: Loading
	onProblem: (problem: Problem | null) => void
	onHole: (hole: Hole) => void
}

/** Recovers from errors at which hls.js stops or retries forever. */
export function recoverFrom({ hls, media, position, loading, onProblem, onHole }: RecoveryOptions): Recovery {
	let problem: Problem | null = null
	let attempt = 0
	let timer: number | undefined
	let renewedAt = Number.NEGATIVE_INFINITY
	/** What was not loaded: segments of the video, or of the audio. */
	let missing: string | undefined
	const decoder = recoverDecoder(hls, media, position, loading)
	const holes = healHoles({ hls, media, position, loading, onHole })

	const report = (next: Problem | null) => {
		if (next === problem) return
		problem = next
		onProblem(next)
	}
	const endTimer = () => {
		window.clearTimeout(timer)
		timer = undefined
	}
	const fail = () => {
		endTimer()
		report('failed')
	}
	const loadAgain = () => {
		endTimer()
		if (hls.levels.length === 0 && hls.url) hls.loadSource(hls.url)
		else loading.restart()
	}
	const scheduleRetry = ({ frag }: ErrorData) => {
		missing = frag?.type
		endTimer()
		timer = window.setTimeout(loadAgain, (RETRY_SEC[attempt] ?? RETRY_SEC.at(-1) ?? 30) * 1_000)
		attempt = Math.min(attempt + 1, RETRY_SEC.length - 1)
	}
	const reconnect = (error: ErrorData) => {
		report(isMissingSegment(error) ? 'missing' : 'reconnecting')
		scheduleRetry(error)
	}
	const onNetworkError = (error: ErrorData) => {
		// Reported before playback stops, so that the page can send a new token in time.
		if (EXPIRED.includes(error.response?.code ?? 0)) {
			// A request with the former token may have been in flight.
			if (performance.now() - renewedAt > RENEWAL_MS) report('expired')
			else if (error.fatal) scheduleRetry(error)
			return
		}
		if (!error.fatal) return
		if (!holes.heal(error)) return reconnect(error)
		endTimer()
		attempt = 0
		report(null)
	}
	/** A non-media response, such as a proxy's page. hls.js would retry it immediately, forever. */
	const onForeignResponse = (error: ErrorData) => {
		queueMicrotask(loading.stop)
		reconnect(error)
	}
	const onDecoderError = (error?: ErrorData) => {
		const next = decoder.recover(error)
		if (next === 'failed') fail()
		else if (next) report(next)
	}

	hls.on(Hls.Events.ERROR, (_, error) => {
		// In-flight requests may fail later, and hls.js may reset the decoder; neither may restart playback.
		if (problem === 'failed') return queueMicrotask(loading.stop)
		if (error.type === Hls.ErrorTypes.NETWORK_ERROR) return onNetworkError(error)
		if (error.details === Hls.ErrorDetails.FRAG_PARSING_ERROR) return onForeignResponse(error)
		if (error.details === Hls.ErrorDetails.MANIFEST_INCOMPATIBLE_CODECS_ERROR) return fail()
		if (error.details === Hls.ErrorDetails.MEDIA_SOURCE_REQUIRES_RESET) return onDecoderError(error)
		if (!error.fatal) return
		if (error.type === Hls.ErrorTypes.MEDIA_ERROR) onDecoderError(error)
		else fail()
	})
	// hls.js notices some decoder errors only with the next segment, which may never come.
	media.addEventListener('error', () =>
		window.setTimeout(() => {
			if (media.error && problem !== 'failed') onDecoderError()
		}),
	)
	// The new renditions may be intact.
	hls.on(Hls.Events.MANIFEST_LOADING, () => {
		decoder.forget()
		holes.forget()
		if (problem === 'failed') report(null)
	})
	hls.on(Hls.Events.FRAG_BUFFERED, (_, { frag }) => {
		if (problem === 'failed') return
		// Segments of the other kind may still arrive.
		if (timer !== undefined && frag.type !== missing) return
		attempt = 0
		report(null)
	})
	window.addEventListener('online', () => {
		if (problem === 'reconnecting' || problem === 'missing') loadAgain()
	})

	const retry = () => {
		attempt = 0
		holes.forget()
		const needsReset = (problem === 'failed' || media.error !== null) && hls.levels.length > 0
		if (problem === 'failed') report(null)
		if (needsReset) decoder.retry()
		else loadAgain()
	}

	return {
		renewed() {
			renewedAt = performance.now()
			attempt = 0
			if (problem !== 'expired') return
			report(null)
			loadAgain()
		},
		retry,
		retryIfFailed() {
			if (problem === 'failed') retry()
		},
		setBufferGoal: decoder.setBufferGoal,
		untilDue: decoder.untilDue,
		replaceSegment: holes.replace,
	}
}
