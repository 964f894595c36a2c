import type { SessionState } from '../sessions/session.ts'
import { isExitBeforeStart, isFailed } from './endings.ts'
import { isStarted } from './funnel.ts'

/** The version of the formulas. Published with every score. */
export const SCORE_MODEL = 1

/** The quality of experience of a session, from 0 to 100. A score is null if the session says nothing about it. */
export type Scores = {
	success: number | null
	startup: number | null
	smoothness: number | null
	quality: number | null
	overall: number | null
}

/**
 * Returns the scores of a session. The components have the published formulas of Mux Data, so they can be compared.
 * Its overall score is not published; ours is a weighted geometric mean, so any component of 0 makes it 0.
 */
export function computeScores(state: SessionState): Scores {
	const isStart = isStarted(state)
	const success = successOf(state)
	const startup = isStart && state.startupMs !== null ? startupScore(state.startupMs) : null
	const smoothness = isStart ? smoothnessOf(state) : null
	const quality = isStart ? qualityOf(state) : null
	return { success, startup, smoothness, quality, overall: overallOf(success, startup, smoothness, quality) }
}

function successOf(state: SessionState): number | null {
	if (isFailed(state)) return 0
	if (isStarted(state)) return 100
	return isExitBeforeStart(state) ? 50 : null
}

/** The score is 50 for a startup of eight seconds. */
const startupScore = (startupMs: number): number => (100 * 8) / (8 + startupMs / 1_000)

function smoothnessOf({ stalls, stalledMs, watchedMs }: SessionState): number {
	const byCount = 100 / Math.sqrt(1 + (stalls / 2) ** 2)
	const byDuration = 100 * Math.exp(-10 * stalledShare(stalledMs, watchedMs))
	return (byCount + byDuration) / 2
}

/** Watch time includes stalls, so the share is at most 1, also for a player that does not report watch time. */
const stalledShare = (stalledMs: number, watchedMs: number): number =>
	stalledMs === 0 ? 0 : stalledMs / Math.max(watchedMs, stalledMs)

/** Returns null for a player that does not report which quality it showed. */
function qualityOf(state: SessionState): number | null {
	const shownMs = sumShownMs(state)
	if (shownMs === 0) return null
	const averageUpscale = state.upscaleMs / shownMs
	return 100 * Math.exp(-0.33 * (0.15 * state.upscaleMax + 0.85 * averageUpscale))
}

/** Returns how long any quality was shown: the time base of `bitrateMs` and `upscaleMs`. */
export const sumShownMs = ({ renditionMs }: SessionState): number =>
	Object.values(renditionMs).reduce((sum, ms) => sum + ms, 0)

function overallOf(
	success: number | null,
	startup: number | null,
	smoothness: number | null,
	quality: number | null,
): number | null {
	if (success === 0) return 0
	if (success === null || startup === null || smoothness === null || quality === null) return null
	return (success / 100) * smoothness ** 0.5 * startup ** 0.3 * quality ** 0.2
}
