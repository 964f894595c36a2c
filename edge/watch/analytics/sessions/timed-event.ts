import type { Activity } from '#schema/contract/watch/analytics/playback-state.ts'
import { type PlayerEvent, PlayerEventKind } from '#schema/contract/watch/analytics/player-events.ts'

/** An event of a player that sends no states. */
export type PlainEvent = Pick<PlayerEvent, 'kind' | 'positionMs' | 'watchedMs' | 'height' | 'error'> & {
	at: number
}

/** What a player with CMCD does since `at`, and what it says about its session so far. */
export type ActivityReport = {
	kind: 'activity'
	at: number
	/** Orders reports of the same millisecond. */
	number?: number | undefined
	/** Whether the player reports because of a change or an error. The next report repeats what others say. */
	isChange?: boolean | undefined
	/** `preparing` before the viewer wants to play. Absent if the player does not say it: then it is as before. */
	activity?: Activity | 'preparing' | undefined
	positionMs?: number | undefined
	/** The speed of playback. */
	rate: number
	bitrateKbps?: number | undefined
	error?: string | undefined
	/** Whether playback stalled since the report before. */
	isStarved?: boolean | undefined
	/** Totals of the session so far. */
	startupMs?: number | undefined
	stalls?: number | undefined
	stalledMs?: number | undefined
	droppedFrames?: number | undefined
}

/** Segments that the Worker served to a player with CMCD. The time is that of the server. */
export type ServedSegments = {
	kind: 'served'
	at: number
	/** A random number, since several locations may report at the same time. */
	number: number
	/** Milliseconds of video by the shorter side of the picture. */
	deliveredMs: Record<string, number>
	isStarved: boolean
}

/** An event that the player itself reports. */
export type TimedPlayerEvent = PlainEvent | ActivityReport

export type TimedEvent = TimedPlayerEvent | ServedSegments

/**
 * Returns events in their order. An event that was received twice, or that says what another one says, counts once. Of
 * two that contradict each other, the same one is kept in whatever order they come.
 */
export function mergeEvents(events: readonly TimedPlayerEvent[]): TimedPlayerEvent[] {
	const byKey = new Map<string, TimedPlayerEvent>()
	for (const event of events) {
		const key = `${event.at} ${event.kind} ${numberOf(event)}`
		const other = byKey.get(key)
		byKey.set(key, other === undefined ? event : greaterOf(other, event))
	}
	return [...byKey.values()].toSorted(compareEvents)
}

const greaterOf = (a: TimedPlayerEvent, b: TimedPlayerEvent): TimedPlayerEvent =>
	JSON.stringify(a) > JSON.stringify(b) ? a : b

const kinds: readonly TimedPlayerEvent['kind'][] = [...PlayerEventKind.options, 'activity']

const numberOf = (event: TimedPlayerEvent): number => ('number' in event ? (event.number ?? -1) : -1)

/** Returns 0 for an event and what was received of it a second time. */
export const compareEvents = (a: TimedPlayerEvent, b: TimedPlayerEvent): number =>
	a.at - b.at || kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || numberOf(a) - numberOf(b)
