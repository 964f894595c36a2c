import type { HlsConfig } from 'hls.js'

/** The part of a stored estimate that is trusted: connections differ from day to day. */
const TRUSTED_SHARE = 0.8

const retries = (count: number, delayMs: number) => ({
	maxNumRetry: count,
	retryDelayMs: delayMs,
	maxRetryDelayMs: 8_000,
})

/** Before the first play, one segment is enough to show a frame. */
const ONE_SEGMENT_SEC = 1

/** See docs/decisions for the reasons; values that are missing here are the defaults of hls.js. */
export const engineConfig = (bandwidth: number | null): Partial<HlsConfig> => ({
	autoStartLoad: false,
	enableWorker: false,
	lowLatencyMode: false,
	enableInterstitialPlayback: false,
	enableCEA708Captions: false,
	renderTextTracksNatively: false,
	capLevelToPlayerSize: true,
	capLevelOnFPSDrop: true,
	maxDevicePixelRatio: 2,
	startFragPrefetch: true,
	maxBufferLength: ONE_SEGMENT_SEC,
	maxBufferSize: 1,
	maxMaxBufferLength: 120,
	backBufferLength: 60,
	errorPenaltyExpireMs: 60_000,
	...(bandwidth !== null && { abrEwmaDefaultEstimate: bandwidth * TRUSTED_SHARE }),
	fragLoadPolicy: {
		default: {
			maxTimeToFirstByteMs: 6_000,
			maxLoadTimeMs: 30_000,
			timeoutRetry: retries(1, 0),
			errorRetry: retries(1, 500),
		},
	},
	manifestLoadPolicy: {
		default: {
			maxTimeToFirstByteMs: 6_000,
			maxLoadTimeMs: 20_000,
			timeoutRetry: retries(1, 0),
			errorRetry: retries(1, 500),
		},
	},
})
