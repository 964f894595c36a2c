import type { PlaybackSessionTimeline } from '#schema/contract/video/analytics/playback-sessions.ts'
import { playerEventsOf, statesOfEvents } from '../sessions/event-state.ts'
import { limitState } from '../sessions/limit-state.ts'
import type { OpenSession } from '../sessions/open-session.ts'
import type { Audience, PlaybackPlace, SessionState } from '../sessions/session.ts'
import { playedMsOf } from '../sums/funnel.ts'
import { addToTimeline, emptyTimeline, type Timeline } from './timeline.ts'

/** What support sees of one session. It has no mark of the visitor. */
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

export function sessionTimelineOf(
	session: OpenSession,
	durationMs: number,
	isOpen: boolean,
): SessionTimeline {
	const { id, reportId, startedAt, reportedAt, audience, place, state, timeline } = session
	return {
		...{ id, reportId, startedAt, reportedAt, isOpen, audience, place },
		totals: totalsOf(state, playedMsOf(state, durationMs)),
		timeline: timeline.snapshots.length > 0 ? timeline : timelineOfEvents(session),
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

/** The clock of a player may be wrong, so only the differences between its events count. */
function timelineOfEvents({ events, startedAt, reportedAt }: OpenSession): Timeline {
	const beganAt = playerEventsOf(events)[0]?.at ?? 0
	let timeline = emptyTimeline
	for (const { at, state } of statesOfEvents(events)) {
		const happenedAt = Math.min(startedAt + at - beganAt, reportedAt)
		timeline = addToTimeline(timeline, happenedAt, limitState(state, reportedAt - startedAt))
	}
	return timeline
}

export const isSessionOf = (
	key: string,
	{ id, reportId }: { id: string; reportId: string | null },
): boolean => id === key || reportId === key

/** Anybody can report the same report id for many sessions. */
const MAX_FOUND = 20

export const newestOf = <T extends { startedAt: number }>(sessions: readonly T[]): T[] =>
	sessions.toSorted((a, b) => b.startedAt - a.startedAt).slice(0, MAX_FOUND)
