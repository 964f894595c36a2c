import type { HlsConfig } from 'hls.js'

/** The part of a stored estimate that is trusted: connections differ from day to day. */
const TRUSTED_SHARE = 0.8

const retries = (count: number, delayMs: number) => ({
	maxNumRetry: count,
	retryDelayMs: delayMs,
	maxRetryDelayMs: 8_000,
})

/** How much to buffer, in seconds and bytes. */
export type BufferGoal = { maxBufferLength: number; maxBufferSize: number }
/** Enough to show a frame, before the first play. */
export const ONE_SEGMENT: BufferGoal = { maxBufferLength: 1, maxBufferSize: 1 }
export const FULL_BUFFER: BufferGoal = { maxBufferLength: 30, maxBufferSize: 60_000_000 }

/** Returns the settings that differ from the defaults of hls.js. */
export const createEngineConfig = (bandwidth: number | null): Partial<HlsConfig> => ({
	// The player decides when the first segment is requested.
	autoStartLoad: false,
	// The worker would only convert segments, which ours don't need, and the page's policy forbids it.
	enableWorker: false,
	// We have neither live streams, advertisements nor embedded captions.
	lowLatencyMode: false,
	enableInterstitialPlayback: false,
	enableCEA708Captions: false,
	// The player draws captions itself, in the style of the viewer.
	renderTextTracksNatively: false,
	// Pixels beyond the display or the decoder's speed are wasted.
	capLevelToPlayerSize: true,
	capLevelOnFPSDrop: true,
	maxDevicePixelRatio: 2,
	// Loads the first segment before the video element is ready for it.
	startFragPrefetch: true,
	...ONE_SEGMENT,
	// Without these limits, long videos use the memory of phones.
	maxMaxBufferLength: 120,
	backBufferLength: 60,
	// Otherwise one failed segment excludes its quality for as long as the page is open.
	errorPenaltyExpireMs: 60_000,
	...(bandwidth !== null && { abrEwmaDefaultEstimate: bandwidth * TRUSTED_SHARE }),
	// Repeats a request on a stalled connection sooner than hls.js, and without a delay.
	fragLoadPolicy: {
		default: {
			maxTimeToFirstByteMs: 6_000,
			maxLoadTimeMs: 30_000,
			timeoutRetry: retries(1, 0),
			errorRetry: retries(1, 500),
		},
	},
	// By default, one lost response is fatal.
	manifestLoadPolicy: {
		default: {
			maxTimeToFirstByteMs: 6_000,
			maxLoadTimeMs: 20_000,
			timeoutRetry: retries(1, 0),
			errorRetry: retries(1, 500),
		},
	},
})
