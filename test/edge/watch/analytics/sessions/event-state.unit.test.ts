import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Activity, PlaybackState } from '#schema/contract/watch/analytics/playback-state.ts'
import { PlayerEventKind } from '#schema/contract/watch/analytics/player-events.ts'
import {
	addEvents,
	deriveState,
	deriveTimeline,
	type EventLog,
	emptyEventLog,
	MAX_RECENT_EVENTS,
} from '../../../../../edge/watch/analytics/sessions/event-state.ts'
import { EventWalk } from '../../../../../edge/watch/analytics/sessions/event-walk.ts'
import type {
	ActivityReport,
	PlainEvent,
	ServedSegments,
	TimedEvent,
	TimedPlayerEvent,
} from '../../../../../edge/watch/analytics/sessions/timed-event.ts'
import { propertyRuns } from '../../../../support/shared/property-runs.ts'

const HOUR_SEC = 3_600
const arrival = { startedAt: 0, reportedAt: 24 * HOUR_SEC * 1_000 }
const logOf = (events: readonly TimedEvent[], log = emptyEventLog): EventLog =>
	addEvents(log, events, arrival)
/** The log after events that came one by one, and were written and read between. */
const logOfEach = (events: readonly TimedEvent[]): EventLog =>
	events.reduce(
		(log: EventLog, event, k) => logOf([event], k % 100 === 0 ? JSON.parse(JSON.stringify(log)) : log),
		emptyEventLog,
	)

const at = (sec: number, kind: PlayerEventKind, more: Partial<PlainEvent> = {}): PlainEvent => ({
	kind,
	at: 1_700_000_000_000 + sec * 1_000,
	...more,
})

/** Starts after 1 s, plays 10 s, stalls 2 s, seeks from 12 s to 60 s, plays 5 s, and ends. */
const viewing = [
	at(0, 'view_start'),
	at(1, 'play', { positionMs: 0 }),
	at(11, 'heartbeat', { positionMs: 10_000 }),
	at(11.5, 'buffer_start', { positionMs: 10_500 }),
	at(13.5, 'buffer_end', { positionMs: 10_500 }),
	at(15, 'seek', { positionMs: 60_000 }),
	at(20, 'pause', { positionMs: 65_000 }),
	at(25, 'view_end', { positionMs: 65_000 }),
]

describe('the state of a player that sends only events', () => {
	test('the events of a player yield what was played, watched and waited for', () => {
		expect(deriveState(logOf(viewing))).toMatchObject({
			activity: 'ended',
			played: [0, 120, 600, 650],
			watchedMs: 19_000,
			startupMs: 1_000,
			stalls: 1,
			stalledMs: 2_000,
			seeks: 1,
			positionMs: 65_000,
			error: null,
		})
	})

	test('the state from events takes the watched time from the player if it sends one', () => {
		const events = [at(0, 'view_start'), at(10, 'heartbeat', { watchedMs: 9_000, positionMs: 9_000 })]
		expect(deriveState(logOf(events)).watchedMs).toBe(9_000)
	})

	test('the state from events does not count the sleep of a device or a jump as played', () => {
		const asleep = [at(0, 'play', { positionMs: 0 }), at(7_200, 'heartbeat', { positionMs: 5_000 })]
		expect(deriveState(logOf(asleep))).toMatchObject({ watchedMs: 150_000, played: [0, 50] })
		const jump = [at(0, 'play', { positionMs: 0 }), at(10, 'heartbeat', { positionMs: 500_000 })]
		expect(deriveState(logOf(jump)).played).toEqual([])
	})

	test('the state from events counts the time of each quality, and names the error that ended it', () => {
		const events = [
			at(0, 'play', { positionMs: 0 }),
			at(0, 'quality_change', { height: 360 }),
			at(4, 'quality_change', { height: 1080, positionMs: 4_000 }),
			at(10, 'error', { error: 'decode', positionMs: 10_000 }),
		]
		expect(deriveState(logOf(events))).toMatchObject({
			renditionMs: { 360: 4_000, 1080: 6_000 },
			activity: 'failed',
			error: 'decode',
		})
	})

	test('stalls that are reported as totals and as activities count once', () => {
		const report = (sec: number, more: Partial<ActivityReport>): ActivityReport => ({
			kind: 'activity',
			at: sec * 1_000,
			rate: 1,
			...more,
		})
		const events: TimedEvent[] = [
			report(0, { activity: 'playing' }),
			report(10, { activity: 'stalled', stalls: 1, stalledMs: 0 }),
			report(12, { activity: 'playing', stalls: 1, stalledMs: 2_100, isStarved: true }),
			report(20, { activity: 'stalled', stalls: 1, stalledMs: 2_100 }),
			report(23, { activity: 'playing', stalls: 2, stalledMs: 5_100, isStarved: true }),
			{ kind: 'served', at: 12_000, number: 1, deliveredMs: {}, isStarved: true },
		]
		expect(deriveState(logOf(events))).toMatchObject({ stalls: 2, stalledMs: 5_100 })
		const moreDerived = [...events, report(30, { activity: 'stalled' }), report(31, { activity: 'playing' })]
		expect(deriveState(logOf(moreDerived))).toMatchObject({ stalls: 3, stalledMs: 6_000 })
	})
})

const time = fc.oneof(fc.nat(60_000), fc.integer({ min: 0, max: 8_640_000_000_000_000 }))
const total = fc.option(fc.oneof(fc.nat(1_000), fc.nat(1_000_000)), { nil: undefined })
const plainEvent: fc.Arbitrary<PlainEvent> = fc.record({
	kind: fc.constantFrom(...PlayerEventKind.options),
	at: time,
	positionMs: fc.option(fc.integer({ min: 0, max: 2_000_000_000 }), { nil: undefined }),
	watchedMs: fc.option(fc.integer({ min: 0, max: 2_000_000_000 }), { nil: undefined }),
	height: fc.option(fc.integer({ min: 10, max: 99_999 }), { nil: undefined }),
})
const activityReport: fc.Arbitrary<ActivityReport> = fc.record({
	kind: fc.constant('activity'),
	at: time,
	number: fc.option(fc.nat(3), { nil: undefined }),
	activity: fc.constantFrom(undefined, 'preparing', ...Activity.options),
	positionMs: fc.option(fc.integer({ min: 0, max: 2_000_000_000 }), { nil: undefined }),
	rate: fc.double({ min: 0, max: 16, noNaN: true }),
	bitrateKbps: fc.option(fc.nat(200_000), { nil: undefined }),
	error: fc.constantFrom(undefined, 'net'),
	isStarved: fc.boolean(),
	startupMs: total,
	stalls: total,
	stalledMs: total,
	droppedFrames: total,
})
const servedSegments: fc.Arbitrary<ServedSegments> = fc.record({
	kind: fc.constant('served'),
	at: time,
	number: fc.nat(3),
	deliveredMs: fc.constantFrom({ 360: 4_000 }, { 360: 2_000, 720: 8_000 }),
	isStarved: fc.boolean(),
})
const playerEvent: fc.Arbitrary<TimedPlayerEvent> = fc.oneof(plainEvent, activityReport)
/** Two reports of what was served never have the same number. */
const events: fc.Arbitrary<TimedEvent[]> = fc.uniqueArray(fc.oneof(playerEvent, servedSegments), {
	minLength: 1,
	maxLength: 40,
	selector: (event) => (event.kind === 'served' ? event.number : event),
})

test('the state from events does not depend on their order or repetition', () => {
	fc.assert(
		fc.property(events, fc.array(fc.nat(39)), (sent, order) => {
			const repeated = order.map((k) => sent[k % sent.length]).filter((event) => event !== undefined)
			const oneByOne = logOfEach([...sent.toReversed(), ...repeated])
			expect(deriveState(oneByOne)).toEqual(deriveState(logOf(sent)))
		}),
		{ numRuns: propertyRuns(100) },
	)
})

test('the state from any events is one that a player may send', () => {
	fc.assert(
		fc.property(events, (sent) => {
			const result = PlaybackState.safeParse(deriveState(logOf(sent)))
			expect(result.error?.issues ?? []).toEqual([])
		}),
		{ numRuns: propertyRuns(50) },
	)
})

describe('a session of ten hours', () => {
	const COUNT = 10 * 360
	/** An event every ten seconds. What they say is repeated. */
	const longSession = fc
		.array(playerEvent, { minLength: 1, maxLength: 50 })
		.map((said) =>
			Array.from(
				{ length: COUNT },
				(_, k) => ({ ...said[k % said.length], at: k * 10_000 }) as TimedPlayerEvent,
			),
		)
	/** The state without a limit of events. */
	const unlimitedState = (sent: readonly TimedPlayerEvent[]) => {
		const walk = new EventWalk(0)
		for (const event of sent) walk.take(event)
		return walk.state(sent.length)
	}

	test('a session of ten hours has the state that follows from all of its events', () => {
		fc.assert(
			fc.property(longSession, (sent) => {
				const log = logOfEach(sent)
				expect(log.recent).toHaveLength(MAX_RECENT_EVENTS)
				expect(deriveState(log)).toEqual(unlimitedState(sent))
			}),
			{ numRuns: propertyRuns(2) },
		)
	})

	test('a long session has the same state if events arrive twice, or after fewer than 200 newer ones', () => {
		const delays = fc.array(fc.nat(MAX_RECENT_EVENTS - 1), { minLength: 1, maxLength: 30 })
		fc.assert(
			fc.property(longSession, delays, (sent, delay) => {
				const arrivals = sent.flatMap((event, k) => [
					{ event, at: k + (delay[k % delay.length] ?? 0) },
					// Some come again, however late.
					...(k % 7 === 0 ? [{ event, at: k + 13 * (k % 100) }] : []),
				])
				const shuffled = arrivals.toSorted((a, b) => a.at - b.at).map(({ event }) => event)
				expect(deriveState(logOfEach(shuffled))).toEqual(unlimitedState(sent))
			}),
			{ numRuns: propertyRuns(2) },
		)
	})

	test('a long session keeps its start and its stalls in the time line, and counts new watch time', () => {
		const sent = Array.from({ length: COUNT }, (_, k): TimedEvent => {
			const activity = k === 180 ? 'stalled' : 'playing'
			return { kind: 'activity', at: 5_000_000_000 + k * 10_000, rate: 1, activity }
		})
		const log = logOfEach(sent)
		expect(deriveState(log)).toMatchObject({
			watchedMs: (COUNT - 1) * 10_000,
			stalls: 1,
			stalledMs: 10_000,
		})
		const { snapshots } = deriveTimeline(log, arrival)
		expect(snapshots.map(({ at, activity, stalls }) => [at, activity, stalls])).toEqual([
			[0, 'playing', 0],
			[1_790_000, 'playing', 0],
			[1_800_000, 'stalled', 1],
			[1_810_000, 'playing', 1],
			[(COUNT - 1) * 10_000, 'playing', 1],
		])
	})

	test('a long session has room for the segments that were served, each once', () => {
		const served = Array.from(
			{ length: COUNT },
			(_, number): ServedSegments => ({
				...{ kind: 'served', at: number * 10_000, number },
				deliveredMs: { 720: 1 },
				isStarved: number % 2 === 0,
			}),
		)
		const twice = served.flatMap((each, k) => [each, served[k - 40] ?? each])
		const log = logOfEach([...twice, { kind: 'activity', at: 5, rate: 1, activity: 'playing' }])
		expect(deriveState(log)).toMatchObject({
			...{ seq: COUNT + 1, activity: 'playing', stalls: COUNT / 2, deliveredMs: { 720: COUNT } },
		})
		expect(JSON.stringify(log).length).toBeLessThan(1_000)
	})
})

test('a session with many seeks and qualities has a valid state, and loses no playing time', () => {
	const sent = Array.from({ length: 6_000 }, (_, k): TimedEvent => {
		const [at, positionMs] = [k * 1_000, Math.floor(k / 3) * 60_000]
		if (k % 3 === 0) return { kind: 'seek', at, positionMs }
		if (k % 3 === 1) return { kind: 'play', at, positionMs }
		return { kind: 'quality_change', at, positionMs: positionMs + 1_000, height: 10 + (k % 100) }
	})
	const reports = Array.from({ length: sent.length / 10 }, (_, k) => sent.slice(10 * k, 10 * k + 10))
	const state = deriveState(reports.reduce((log, report) => logOf(report, log), emptyEventLog))
	expect(PlaybackState.safeParse(state).error?.issues ?? []).toEqual([])
	const placedMs = state.played.reduce((sum, time, k) => sum + (k % 2 === 0 ? -time : time), 0) * 100
	expect(state.played).toHaveLength(2_000)
	expect(placedMs + (state.unplacedMs ?? 0)).toBe(3_999_000)
})
