import type { PlaybackState } from '#schema/contract/video/analytics/playback-state.ts'
import { isStarted } from './funnel.ts'

/** The definition of Mux Data: who leaves earlier did not wait for the video. */
const EXIT_MS = 1_000

/** Returns whether an error ended playback, before or after the first frame. */
export const isFailed = ({ error, activity }: PlaybackState): boolean =>
	error !== null || activity === 'failed'

/** Returns whether the viewer waited for the first frame in vain, without an error. */
export const isExitBeforeStart = (state: PlaybackState): boolean =>
	!isStarted(state) && !isFailed(state) && state.waitedMs >= EXIT_MS
