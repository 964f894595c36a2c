import type { SessionState } from '../sessions/session.ts'
import { mergeSpans, sumSpansMs, toPlayedSpans, toWholeDurationMs } from './spans.ts'

/** How far a session came. Each property implies the ones before. */
export type Funnel = { isStart: boolean; isView: boolean; isEngaged: boolean; isCompleted: boolean }

const VIEW_MS = 3_000
const ENGAGED_MS = 30_000

/**
 * Returns how far a session came.
 *
 * - start: the first frame was shown.
 * - view: a start with at least 3 s played, or half of a video shorter than 6 s.
 * - engaged: a view with at least 30 s or half of the video played.
 * - completed: a view that covers at least 95 % of the video. Repeated parts count once.
 *
 * `durationMs` is 0 if it is unknown. Then only the seconds count, and nothing is completed.
 */
export function computeFunnel(state: SessionState, durationMs: number): Funnel {
	const videoMs = toWholeDurationMs(durationMs)
	const halfMs = videoMs === 0 ? Number.POSITIVE_INFINITY : videoMs / 2
	const playedMs = sumPlayedMs(state, videoMs)
	const isStart = isStarted(state)
	const isView = isStart && playedMs >= Math.min(VIEW_MS, halfMs)
	const isEngaged = isView && playedMs >= Math.min(ENGAGED_MS, halfMs)
	// In whole numbers, so that exactly 95 % is enough.
	const isCompleted = isEngaged && videoMs > 0 && sumCoveredMs(state, videoMs) * 100 >= videoMs * 95
	return { isStart, isView, isEngaged, isCompleted }
}

/** Returns whether the first frame was shown. Some players report what was played, but not how long the start took. */
export const isStarted = ({ startupMs, played, unplacedMs = 0 }: SessionState): boolean =>
	startupMs !== null || played.length > 0 || unplacedMs > 0

/** Returns how much was played, repetitions included. Spans are cut at the duration if it is given and not 0. */
export const sumPlayedMs = ({ played, unplacedMs = 0 }: SessionState, durationMs = 0): number =>
	sumSpansMs(toPlayedSpans(played, durationMs)) + unplacedMs

/** Returns whether the player never said which part of the video it played. */
export const isUnplaced = ({ played, unplacedMs = 0 }: SessionState): boolean =>
	played.length === 0 && unplacedMs > 0

/** Returns how much of the video was played at least once; 0 if its duration is unknown. */
export const sumCoveredMs = ({ played }: SessionState, durationMs: number): number =>
	toWholeDurationMs(durationMs) === 0 ? 0 : sumSpansMs(mergeSpans(toPlayedSpans(played, durationMs)))
