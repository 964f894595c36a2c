import type { AudioConfig } from '#schema/contract/audio.ts'
import type { Wish } from './plan.ts'

/** Longer than any film, shorter than a camera that somebody forgot. */
const MAX_DURATION_SEC = 12 * 3_600

/** What is asked of a job, but for the encoders: those are chosen when it is planned, by who is there then. */
export type Asked = Omit<Wish, 'encoders'>

export const wishOf = ({ playback, ai }: AudioConfig): Asked => ({
	codecs: ['h264'],
	playback,
	// What is recognized is brought to no loudness: it is heard as it was said.
	ai: { ...ai, normalize: false },
	maxDurationSec: MAX_DURATION_SEC,
})
