import type { AudioConfig } from '#schema/contract/video/audio.ts'
import type { RequestedOptions } from '#schema/tables/video/job-plan.ts'

/** Longer than any film, shorter than a camera left recording. */
const MAX_DURATION_SEC = 12 * 3_600

export const toRequestedOptions = ({ playback, ai }: AudioConfig): RequestedOptions => ({
	playback,
	// Speech recognition needs no loudness normalization.
	ai: { ...ai, normalize: false },
	maxDurationSec: MAX_DURATION_SEC,
})
