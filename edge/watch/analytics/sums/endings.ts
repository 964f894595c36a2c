import type { SessionState } from '../sessions/session.ts'
import { isStarted } from './funnel.ts'

/** The definition of Mux Data: who leaves earlier did not wait for the video. */
const EXIT_MS = 1_000

/** Returns whether an error ended playback, before or after the first frame. */
export const isFailed = ({ error, activity }: SessionState): boolean =>
	error !== null || activity === 'failed'

/** Returns whether the viewer waited for the first frame in vain, without an error. */
export const isExitBeforeStart = (state: SessionState): boolean =>
	!isStarted(state) && !isFailed(state) && state.waitedMs >= EXIT_MS
