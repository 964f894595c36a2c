import type { Activity } from '#schema/contract/watch/analytics/playback-state.ts'
import { MINUTE, SECOND } from '../../../platform/clock.ts'
import type { Audience } from './session.ts'

const MIN_INTERVAL_MS = 10 * SECOND
const MAX_INTERVAL_MS = 120 * SECOND
/** The capacity of one object, and the target for all objects of a video together. */
const REPORTS_PER_SECOND = 250
const REPORTS_PER_SECOND_IN_ALL = 10_000
const MAX_PAUSE_MS = 5 * MINUTE
/** A viewer may miss one report, and the next may come late. */
const MISSED_INTERVALS = 2.5

/** Viewers usually leave in the first minute, so it is measured more closely. */
const intervalAtAge = (ageMs: number): number => {
	if (ageMs < MINUTE) return MIN_INTERVAL_MS
	return ageMs < 5 * MINUTE ? 30 * SECOND : MINUTE
}

/** Returns the delay until a player's next report. */
export function computeBeatIntervalMs({
	ageMs,
	viewersHere,
	viewers,
}: {
	ageMs: number
	viewersHere: number
	viewers: number
}): number {
	const affordableMs =
		Math.max(viewersHere / REPORTS_PER_SECOND, viewers / REPORTS_PER_SECOND_IN_ALL) * SECOND
	return Math.round(Math.min(MAX_INTERVAL_MS, Math.max(intervalAtAge(ageMs), affordableMs)))
}

export type Presence = {
	audience: Audience
	activity: Activity
	reportedAt: number
	/** The interval that the player was last given. */
	intervalMs: number
	/** Since when all reports say that the video is paused; null if it is not. */
	pausedSince: number | null
	/** Whether the player said that the session is over. */
	isEnded: boolean
}

/** Whether the session counts as a current viewer. */
export function isPresent(session: Presence, now: number): boolean {
	if (session.audience !== 'viewer' || session.isEnded) return false
	if (session.activity === 'ended' || session.activity === 'failed') return false
	if (session.pausedSince !== null && now - session.pausedSince > MAX_PAUSE_MS) return false
	return !isSilent(session, now)
}

/** Whether the player has sent no report for so long that its viewer must be gone. */
export const isSilent = (
	{ reportedAt, intervalMs }: Pick<Presence, 'reportedAt' | 'intervalMs'>,
	now: number,
): boolean => now - reportedAt > MISSED_INTERVALS * intervalMs
