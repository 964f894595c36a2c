import Hls, { type ErrorData } from 'hls.js'
import type { Problem } from './engine-types.ts'

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
	stop(): void
}

/**
 * Keeps playback alive. hls.js stops for good at a fatal error: after one of the network, this asks again until the
 * server answers; after one of the decoder, it resets the decoder once and then removes the codec.
 */
export function recoverFrom(hls: Hls, onProblem: (problem: Problem | null) => void): Recovery {
	let problem: Problem | null = null
	let attempt = 0
	let timer: number | undefined
	let renewedAt = Number.NEGATIVE_INFINITY
	let decoderResetAt = Number.NEGATIVE_INFINITY

	const report = (next: Problem | null) => {
		if (next === problem) return
		problem = next
		onProblem(next)
	}
	const loadAgain = () => {
		window.clearTimeout(timer)
		timer = undefined
		if (hls.levels.length === 0 && hls.url) hls.loadSource(hls.url)
		else hls.startLoad(hls.media?.currentTime ?? -1)
	}
	const scheduleRetry = () => {
		window.clearTimeout(timer)
		timer = window.setTimeout(loadAgain, (RETRY_SEC[attempt] ?? RETRY_SEC.at(-1) ?? 30) * 1_000)
		attempt = Math.min(attempt + 1, RETRY_SEC.length - 1)
	}
	const onNetworkError = ({ response, fatal }: ErrorData) => {
		// Reported before playback stops, so that the page can send a new token in time.
		if (EXPIRED.includes(response?.code ?? 0)) {
			// A request with the former token may have been on its way.
			if (performance.now() - renewedAt > RENEWAL_MS) report('expired')
			else if (fatal) scheduleRetry()
			return
		}
		if (!fatal) return
		report('reconnecting')
		scheduleRetry()
	}
	/** Attaches the video again, which pauses it. */
	const resetDecoder = () => {
		const { media } = hls
		const isPlaying = media?.paused === false
		hls.recoverMediaError()
		if (isPlaying) media?.play().catch(() => undefined)
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

	hls.on(Hls.Events.ERROR, (_, data) => {
		if (data.type === Hls.ErrorTypes.NETWORK_ERROR) return onNetworkError(data)
		if (!data.fatal) return
		if (data.type === Hls.ErrorTypes.MEDIA_ERROR) onMediaError()
		else report('failed')
	})
	hls.on(Hls.Events.FRAG_BUFFERED, () => {
		attempt = 0
		report(null)
	})
	const onOnline = () => {
		if (problem === 'reconnecting') loadAgain()
	}
	window.addEventListener('online', onOnline)

	return {
		renewed() {
			renewedAt = performance.now()
			attempt = 0
			if (problem === 'expired') loadAgain()
		},
		retry() {
			attempt = 0
			// A damaged segment may still be on its way, and must not end the new try.
			decoderResetAt = Number.NEGATIVE_INFINITY
			if (problem === 'failed' || hls.media?.error) resetDecoder()
			loadAgain()
		},
		stop() {
			window.clearTimeout(timer)
			window.removeEventListener('online', onOnline)
		},
	}
}
