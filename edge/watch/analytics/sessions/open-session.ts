import type { PlaybackState } from '#schema/contract/watch/analytics/playback-state.ts'
import { HOUR, MINUTE } from '../../../platform/clock.ts'
import { addToTimeline, emptyTimeline, type Timeline } from '../timelines/timeline.ts'
import { addEvents, deriveState, type EventLog, emptyEventLog } from './event-state.ts'
import { limitState } from './limit-state.ts'
import { computeBeatIntervalMs, isPresent } from './presence.ts'
import type { Audience, PlaybackPlace, PlaybackSession } from './session.ts'
import type { TimedEvent } from './timed-event.ts'

/** Longer than a token is valid, so that nobody can continue a session that was closed for its silence. */
export const SILENT_MS = 35 * MINUTE
/** A session that has ended can continue, for example when the browser restores the page. */
const ENDED_MS = 2 * MINUTE
export const MAX_SESSION_MS = 24 * HOUR

/** The part of a request that is about one session. */
export type SessionReport = {
	sessionId: string
	/** The id of the page of the player that viewers see when playback fails; null if the player has none. */
	reportId: string | null
	/** When the session started, from its token; null without one. */
	startedAt: number | null
	/** Whether another object may have the session: it is not new, and no token says where it is. */
	mayBeElsewhere: boolean
	audience: Audience
	/** A mark of the network of a viewer whose session has no token yet; none if it is not known. */
	network?: string | null | undefined
	visitor: string | null
	place: PlaybackPlace
	/** The newest state in the request; null if the player sends only events. */
	state: PlaybackState | null
	events: TimedEvent[]
	isEnd: boolean
	/** How often the player reports if it can't follow the interval of the responses. */
	ownIntervalMs?: number | undefined
}

/** A session that may still change. */
export type OpenSession = PlaybackSession & {
	intervalMs: number
	pausedSince: number | null
	isEnded: boolean
	/** The events of a player that sends no states; null for one that does. */
	events: EventLog | null
	reportId: string | null
	/** Empty for a player that sends no states: its events contain the same. */
	timeline: Timeline
}

/** Returns the session after a report. */
export function applyReport(
	session: OpenSession | undefined,
	report: SessionReport,
	load: { viewersHere: number; viewers: number },
	now: number,
): OpenSession {
	const startedAt = session?.startedAt ?? Math.min(report.startedAt ?? now, now)
	const known = session?.events ?? null
	const hasEvents = report.events.length > 0
	const events = hasEvents
		? addEvents(known ?? emptyEventLog, report.events, { startedAt, reportedAt: now })
		: known
	const stated = report.state ?? (hasEvents && events ? deriveState(events) : null)
	const isNewer =
		stated !== null &&
		(session === undefined ||
			(report.state ? isGrown(stated, session.state) : stated.seq >= session.state.seq))
	const limited = isNewer ? limitState(stated, now - startedAt) : session?.state
	// Of a player without states, the Worker itself counted what it delivered.
	const state =
		isNewer && !report.state && limited ? { ...limited, deliveredMs: stated.deliveredMs } : limited
	if (!state) throw new Error('a report has neither a state nor events')
	const timeline = session?.timeline ?? emptyTimeline
	const isNewState = isNewer && report.state !== null && state.seq !== session?.state.seq
	const isPaused = state.activity === 'paused'
	return {
		id: report.sessionId,
		startedAt,
		reportedAt: now,
		audience: session?.audience ?? report.audience,
		visitor: session?.visitor ?? report.visitor,
		place: session?.place ?? report.place,
		state,
		intervalMs: Math.max(
			computeBeatIntervalMs({ ageMs: now - startedAt, ...load }),
			report.ownIntervalMs ?? 0,
		),
		pausedSince: isPaused ? (session?.pausedSince ?? now) : null,
		isEnded: isNewer
			? report.isEnd || (report.state === null && state.activity === 'ended')
			: (session?.isEnded ?? false),
		events,
		reportId: session?.reportId ?? report.reportId,
		timeline: isNewState ? addToTimeline(timeline, now, state) : timeline,
	}
}

/**
 * Whether the report must be written before it is answered, because no later report repeats it: the end of a session, and
 * changes from players that send only events. Losing another report costs at most the time until the next one.
 */
export const isUrgentReport = ({ isEnd, events }: SessionReport): boolean =>
	isEnd ||
	events.some((event) => {
		if (event.kind === 'activity') return event.isChange === true
		return event.kind !== 'heartbeat' && event.kind !== 'served'
	})

/** The same report may come twice, and no total of a session ever shrinks. */
const isGrown = (stated: PlaybackState, known: PlaybackState): boolean =>
	stated.seq > known.seq && growing.every((name) => stated[name] >= known[name])

const growing = ['watchedMs', 'stalls', 'stalledMs', 'seeks', 'seekMs'] as const

export const computeCloseTime = ({ isEnded, reportedAt }: OpenSession): number =>
	reportedAt + (isEnded ? ENDED_MS : SILENT_MS)

export const isPresentSession = (session: OpenSession, now: number): boolean =>
	isPresent({ ...session, activity: session.state.activity }, now)
