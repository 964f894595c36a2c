import type { AudioFile } from '#schema/contract/tasks.ts'
import type { Wish } from './plan.ts'

/** Longer than any film, shorter than a camera that somebody forgot. */
const MAX_DURATION_SEC = 12 * 3_600

const playback: AudioFile = {
	codec: 'aac',
	bitrateKbps: 128,
	sampleRate: 48_000,
	channels: 2,
	normalize: false,
}
/** What speech recognition hears best with: one channel of 16 kHz, nothing lost. */
const ai: AudioFile = { codec: 'flac', bitrateKbps: null, sampleRate: 16_000, channels: 1, normalize: false }

/** What is asked of a job, but for the encoders: those are chosen when it is planned, by who is there then. */
export type Asked = Omit<Wish, 'encoders'>

export const standardWish = (): Asked => ({
	codecs: ['h264'],
	playback,
	ai,
	maxDurationSec: MAX_DURATION_SEC,
})
