import Hls, { type ErrorData } from 'hls.js'
import type { Problem } from './engine-types.ts'
import type { Position } from './position.ts'

/** Seconds between attempts to reach the server; the last one repeats. */
const RETRY_SEC = [1, 2, 4, 8, 16, 30]
/** How long responses to requests with a former token may arrive. */
const RENEWAL_MS = 10_000
const DECODE_RETRY_MS = 5_000
const EXPIRED = [401, 403]

export type Recovery = {
	/** Goes on with a new token. */
	renewed(): void
	retry(): void
}

/**
 * Keeps playback alive. hls.js stops for good at a fatal error: after one of the network, this requests again until the
 * server answers; after one of the decoder, it resets the decoder once and then removes the codec.
 */
export function recoverFrom(
	hls: Hls,
	position: Position,
	onProblem: (problem: Problem | null) => void,
): Recovery {
	let problem: Problem | null = null
	let attempt = 0
	let timer: number | undefined
	let renewedAt = Number.NEGATIVE_INFINITY
	let decoderResetAt = Number.NEGATIVE_INFINITY
	/** What failed last: segments of the video, or of the audio. */
	let failed: string | undefined

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
	/** Attaches the video again, and loads again, which hls.js stopped at the error. */
	const resetDecoder = () => {
		const sec = position.sec()
		hls.recoverMediaError()
		hls.startLoad(sec)
	}
	const onMediaError = () => {
		const now = performance.now()
		if (now - decoderResetAt > DECODE_RETRY_MS) {
			decoderResetAt = now
			return resetDecoder()
		}
		const codec = hls.levels[hls.currentLevel]?.videoCodec?.slice(0, 4)
		const others = hls.levels.flatMap(({ videoCodec }, at) =>
			videoCodec?.startsWith(codec ?? '') ? [] : [at],
		)
		if (codec === undefined || others.length === 0) return report('failed')
		report('changing-codec')
		for (let at = hls.levels.length - 1; at >= 0; at--) if (!others.includes(at)) hls.removeLevel(at)
		resetDecoder()
	}

	hls.on(Hls.Events.ERROR, (_, error) => {
		if (error.type === Hls.ErrorTypes.NETWORK_ERROR) return onNetworkError(error)
		if (error.details === Hls.ErrorDetails.FRAG_PARSING_ERROR) return onForeignResponse(error)
		if (!error.fatal) return
		if (error.type === Hls.ErrorTypes.MEDIA_ERROR) onMediaError()
		else report('failed')
	})
	hls.on(Hls.Events.FRAG_BUFFERED, (_, { frag }) => {
		// Segments of the other kind may still arrive.
		if (timer !== undefined && frag.type !== failed) return
		attempt = 0
		report(null)
	})
	window.addEventListener('online', () => {
		if (problem === 'reconnecting') loadAgain()
	})

	return {
		renewed() {
			renewedAt = performance.now()
			attempt = 0
			if (problem !== 'expired') return
			report(null)
			loadAgain()
		},
		retry() {
			attempt = 0
			// A damaged segment may still be on its way, and must not end the new try.
			decoderResetAt = Number.NEGATIVE_INFINITY
			if (problem === 'failed' || hls.media?.error) resetDecoder()
			else loadAgain()
		},
	}
}
