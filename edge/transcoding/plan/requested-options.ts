import type { AudioConfig } from '#schema/contract/video/audio.ts'
import type { EncodeOptions } from './plan.ts'

/** Longer than any film, shorter than a camera left recording. */
const MAX_DURATION_SEC = 12 * 3_600

/** The options known when a job is requested. Codecs and encoders are chosen when it is planned. */
export type RequestedOptions = Omit<EncodeOptions, 'codecs' | 'encoders'>

export const encodeOptions = ({ playback, ai }: AudioConfig): RequestedOptions => ({
	playback,
	// Speech recognition needs no loudness normalization.
	ai: { ...ai, normalize: false },
	maxDurationSec: MAX_DURATION_SEC,
})
