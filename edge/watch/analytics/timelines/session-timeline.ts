import type { PlaybackSessionTimeline } from '#schema/contract/watch/analytics/playback-sessions.ts'
import { deriveTimeline } from '../sessions/event-state.ts'
import type { OpenSession } from '../sessions/open-session.ts'
import type { Audience, PlaybackPlace, SessionState } from '../sessions/session.ts'
import { sumPlayedMs } from '../sums/funnel.ts'
import type { Timeline } from './timeline.ts'

/** A session as support sees it, without the pseudonym of the visitor. */
export type SessionTimeline = {
	id: string
	reportId: string | null
	startedAt: number
	reportedAt: number
	isOpen: boolean
	audience: Audience
	place: PlaybackPlace
	totals: PlaybackSessionTimeline['totals']
	timeline: Timeline
}

export function buildSessionTimeline(
	session: OpenSession,
	durationMs: number,
	isOpen: boolean,
): SessionTimeline {
	const { id, reportId, startedAt, reportedAt, audience, place, state, events, timeline } = session
	return {
		...{ id, reportId, startedAt, reportedAt, isOpen, audience, place },
		totals: totalsOf(state, sumPlayedMs(state, durationMs)),
		timeline: timeline.snapshots.length > 0 || !events ? timeline : deriveTimeline(events, session),
	}
}

const totalsOf = (state: SessionState, playedMs: number): SessionTimeline['totals'] => ({
	activity: state.activity,
	positionMs: state.positionMs,
	watchedMs: state.watchedMs,
	playedMs,
	startupMs: state.startupMs,
	waitedMs: state.waitedMs,
	stalls: state.stalls,
	stalledMs: state.stalledMs,
	seeks: state.seeks,
	seekMs: state.seekMs,
	shownMs: state.renditionMs,
	deliveredMs: state.deliveredMs,
	renditionsUp: state.renditionsUp,
	renditionsDown: state.renditionsDown,
	droppedFrames: state.droppedFrames,
	error: state.error,
})

export const hasSessionKey = (
	key: string,
	{ id, reportId }: { id: string; reportId: string | null },
): boolean => id === key || reportId === key

/** Anybody can report the same report id for many sessions. */
const MAX_FOUND = 20

export const sortNewestFirst = <T extends { startedAt: number }>(sessions: readonly T[]): T[] =>
	sessions.toSorted((a, b) => b.startedAt - a.startedAt).slice(0, MAX_FOUND)
