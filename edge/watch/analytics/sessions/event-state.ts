import { addAmounts } from '../sums/records.ts'
import { type Arrival, addStates } from '../timelines/event-timeline.ts'
import { emptyTimeline, type Timeline } from '../timelines/timeline.ts'
import { EventWalk, type WalkState } from './event-walk.ts'
import type { SessionState } from './session.ts'
import {
	compareEvents,
	mergeEvents,
	type ServedSegments,
	type TimedEvent,
	type TimedPlayerEvent,
} from './timed-event.ts'

/** More than half an hour of a player that sends an event every ten seconds. */
export const MAX_RECENT_EVENTS = 200
/** Duplicate reports of served segments arrive soon after the original. */
const MAX_NUMBERS = 50

/**
 * The events of a session. The newest events of the player are a set: they may come in any order and twice. Older ones
 * are folded, so that a session of any length takes little memory. An event that comes after 200 newer ones may be older
 * than what is folded. Then it is dropped, since it can't be told from one that came twice.
 */
export type EventLog = {
	/** In the order of time. */
	recent: TimedPlayerEvent[]
	/** Null until there are too many events. */
	folded: FoldedEvents | null
	served: ServedTotals
}

/** The state after the oldest events of the player. */
type FoldedEvents = {
	last: TimedPlayerEvent
	count: number
	beganAt: number
	walked: WalkState
	timeline: Timeline
}

/** Segments that the Worker served add up in any order. */
type ServedTotals = {
	count: number
	starved: number
	deliveredMs: Record<string, number>
	/** The numbers of the newest reports. */
	numbers: number[]
}

export const emptyEventLog: EventLog = {
	recent: [],
	folded: null,
	served: { count: 0, starved: 0, deliveredMs: {}, numbers: [] },
}

export function addEvents(log: EventLog, added: readonly TimedEvent[], arrival: Arrival): EventLog {
	const { folded } = log
	const isNewer = (event: TimedPlayerEvent) => folded === null || compareEvents(event, folded.last) > 0
	const events = mergeEvents([...log.recent, ...playerEventsOf(added).filter(isNewer)])
	const excess = Math.max(0, events.length - MAX_RECENT_EVENTS)
	return {
		recent: events.slice(excess),
		folded: foldEvents(folded, events.slice(0, excess), arrival),
		served: added.filter((event) => event.kind === 'served').reduce(addServed, log.served),
	}
}

const playerEventsOf = (events: readonly TimedEvent[]): TimedPlayerEvent[] =>
	events.filter((event) => event.kind !== 'served')

function foldEvents(
	folded: FoldedEvents | null,
	events: readonly TimedPlayerEvent[],
	arrival: Arrival,
): FoldedEvents | null {
	const [first, last] = [events[0], events.at(-1)]
	if (!first || !last) return folded
	const { count, beganAt, walked, timeline } = folded ?? {
		count: 0,
		beganAt: first.at,
		walked: first.at,
		timeline: emptyTimeline,
	}
	const walk = new EventWalk(walked)
	return {
		last,
		count: count + events.length,
		beganAt,
		timeline: addStates(timeline, statesAfter(walk, events), { beganAt, ...arrival }),
		walked: walk.walked(),
	}
}

function addServed(totals: ServedTotals, { number, deliveredMs, isStarved }: ServedSegments): ServedTotals {
	if (totals.numbers.includes(number)) return totals
	return {
		count: totals.count + 1,
		starved: totals.starved + (isStarved ? 1 : 0),
		deliveredMs: addAmounts(totals.deliveredMs, deliveredMs),
		numbers: [...totals.numbers, number].slice(-MAX_NUMBERS),
	}
}

/** Computes the state of a session from its events. */
export function deriveState(log: EventLog): SessionState {
	const { recent, folded, served } = log
	const walk = walkFrom(log)
	for (const event of recent) walk.take(event)
	const state = walk.state((folded?.count ?? 0) + recent.length + served.count)
	return {
		...state,
		stalls: Math.max(state.stalls, served.starved),
		deliveredMs: served.deliveredMs,
	}
}

/** Returns the entries of the events of the player. */
export function deriveTimeline(log: EventLog, arrival: Arrival): Timeline {
	const states = statesAfter(walkFrom(log), log.recent)
	return addStates(log.folded?.timeline ?? emptyTimeline, states, { beganAt: beganAtOf(log), ...arrival })
}

const beganAtOf = ({ folded, recent }: EventLog): number => folded?.beganAt ?? recent[0]?.at ?? 0

const walkFrom = (log: EventLog): EventWalk => new EventWalk(log.folded?.walked ?? beganAtOf(log))

/** Returns the state after each event. */
function* statesAfter(
	walk: EventWalk,
	events: readonly TimedPlayerEvent[],
): Generator<{ at: number; state: SessionState }> {
	for (const event of events) {
		walk.take(event)
		yield { at: event.at, state: walk.state(1) }
	}
}
