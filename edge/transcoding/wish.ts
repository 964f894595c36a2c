import type { AudioConfig } from '#schema/contract/audio.ts'
import type { Wish } from './plan.ts'

/** Longer than any film, shorter than a camera that somebody forgot. */
const MAX_DURATION_SEC = 12 * 3_600

/** What is asked of a job, but for what is looked up when it is planned: codecs, and by who is there then, encoders. */
export type Asked = Omit<Wish, 'codecs' | 'encoders'>

export const wishOf = ({ playback, ai }: AudioConfig): Asked => ({
	playback,
	// What is recognized is brought to no loudness: it is heard as it was said.
	ai: { ...ai, normalize: false },
	maxDurationSec: MAX_DURATION_SEC,
})
