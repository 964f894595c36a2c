import Hls, { type ErrorData } from 'hls.js'
import { recoverDecoder } from './decoder-recovery.ts'
import type { Problem } from './engine-types.ts'
import type { Position } from './position.ts'

/** Seconds between attempts to reach the server; the last one repeats. */
const RETRY_SEC = [1, 2, 4, 8, 16, 30]
/** How long responses to requests with a former token may arrive. */
const RENEWAL_MS = 10_000
const EXPIRED = [401, 403]

export type Recovery = {
	/** Goes on with a new token. */
	renewed(): void
	retry(): void
	/** Tries again if playback had failed: the video may be intact elsewhere. */
	seeked(): void
	hasDecoderFailed(): boolean
}

/** Keeps playback alive after errors, at which hls.js stops for good, or tries the same for ever. */
export function recoverFrom(
	hls: Hls,
	media: HTMLMediaElement,
	position: Position,
	onProblem: (problem: Problem | null) => void,
): Recovery {
	let problem: Problem | null = null
	let attempt = 0
	let timer: number | undefined
	let renewedAt = Number.NEGATIVE_INFINITY
	/** What failed last: segments of the video, or of the audio. */
	let failed: string | undefined
	const decoder = recoverDecoder(hls, position)

	const report = (next: Problem | null) => {
		if (next === problem) return
		problem = next
		onProblem(next)
	}
	const loadAgain = () => {
		window.clearTimeout(timer)
		timer = undefined
		if (hls.levels.length === 0 && hls.url) hls.loadSource(hls.url)
		else hls.startLoad(position.sec())
	}
	const scheduleRetry = ({ frag }: ErrorData) => {
		failed = frag?.type
		window.clearTimeout(timer)
		timer = window.setTimeout(loadAgain, (RETRY_SEC[attempt] ?? RETRY_SEC.at(-1) ?? 30) * 1_000)
		attempt = Math.min(attempt + 1, RETRY_SEC.length - 1)
	}
	const reconnect = (error: ErrorData) => {
		report('reconnecting')
		scheduleRetry(error)
	}
	const onNetworkError = (error: ErrorData) => {
		// Reported before playback stops, so that the page can send a new token in time.
		if (EXPIRED.includes(error.response?.code ?? 0)) {
			// A request with the former token may have been on its way.
			if (performance.now() - renewedAt > RENEWAL_MS) report('expired')
			else if (error.fatal) scheduleRetry(error)
			return
		}
		if (error.fatal) reconnect(error)
	}
	/** A response that is no media, such as the page of a proxy. hls.js would request it again at once, for ever. */
	const onForeignResponse = (error: ErrorData) => {
		queueMicrotask(() => hls.stopLoad())
		reconnect(error)
	}
	const onDecoderError = () => {
		if (problem === 'failed') return
		const next = decoder.recover()
		if (next) report(next)
	}

	hls.on(Hls.Events.ERROR, (_, error) => {
		if (error.type === Hls.ErrorTypes.NETWORK_ERROR) return onNetworkError(error)
		if (error.details === Hls.ErrorDetails.FRAG_PARSING_ERROR) return onForeignResponse(error)
		if (error.details === Hls.ErrorDetails.MEDIA_SOURCE_REQUIRES_RESET) return onDecoderError()
		if (!error.fatal) return
		if (error.type === Hls.ErrorTypes.MEDIA_ERROR) onDecoderError()
		else report('failed')
	})
	// Once everything is loaded, hls.js does not see every error of the decoder.
	media.addEventListener('error', () =>
		window.setTimeout(() => {
			if (media.error) onDecoderError()
		}),
	)
	hls.on(Hls.Events.FRAG_BUFFERED, (_, { frag }) => {
		if (problem === 'failed') return
		// Segments of the other kind may still arrive.
		if (timer !== undefined && frag.type !== failed) return
		attempt = 0
		report(null)
	})
	window.addEventListener('online', () => {
		if (problem === 'reconnecting') loadAgain()
	})

	const retry = () => {
		attempt = 0
		if (problem !== 'failed' && !media.error) return loadAgain()
		report(null)
		decoder.retry()
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
		seeked() {
			if (problem === 'failed') retry()
		},
		hasDecoderFailed: decoder.hasFailed,
	}
}
