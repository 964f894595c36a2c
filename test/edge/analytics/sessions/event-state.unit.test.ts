import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Activity, PlaybackState } from '#schema/contract/video/analytics/playback-state.ts'
import { PlayerEventKind } from '#schema/contract/video/analytics/player-events.ts'
import { stateOfEvents } from '../../../../edge/analytics/sessions/event-state.ts'
import {
	type ActivityReport,
	addEvents,
	MAX_TIMED_EVENTS,
	type PlainEvent,
	type ServedSegments,
	type TimedEvent,
} from '../../../../edge/analytics/sessions/timed-event.ts'

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
	test('has what was played, watched and waited for', () => {
		expect(stateOfEvents(addEvents([], viewing))).toMatchObject({
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

	test('takes the watched time from the player if it sends one', () => {
		const events = [at(0, 'view_start'), at(10, 'heartbeat', { watchedMs: 9_000, positionMs: 9_000 })]
		expect(stateOfEvents(addEvents([], events)).watchedMs).toBe(9_000)
	})

	test('does not count the sleep of a device, or a jump of the position, as played', () => {
		const asleep = [at(0, 'play', { positionMs: 0 }), at(7_200, 'heartbeat', { positionMs: 5_000 })]
		expect(stateOfEvents(addEvents([], asleep))).toMatchObject({ watchedMs: 150_000, played: [0, 50] })
		const jump = [at(0, 'play', { positionMs: 0 }), at(10, 'heartbeat', { positionMs: 500_000 })]
		expect(stateOfEvents(addEvents([], jump)).played).toEqual([])
	})

	test('counts the time of each quality, and names the error that ended it', () => {
		const events = [
			at(0, 'play', { positionMs: 0 }),
			at(0, 'quality_change', { height: 360 }),
			at(4, 'quality_change', { height: 1080, positionMs: 4_000 }),
			at(10, 'error', { error: 'decode', positionMs: 10_000 }),
		]
		expect(stateOfEvents(addEvents([], events))).toMatchObject({
			renditionMs: { 360: 4_000, 1080: 6_000 },
			activity: 'failed',
			error: 'decode',
		})
	})

	test('has stalls once that are reported as totals and as activities', () => {
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
		expect(stateOfEvents(addEvents([], events))).toMatchObject({ stalls: 2, stalledMs: 5_100 })
		const moreDerived = [...events, report(30, { activity: 'stalled' }), report(31, { activity: 'playing' })]
		expect(stateOfEvents(addEvents([], moreDerived))).toMatchObject({ stalls: 3, stalledMs: 6_000 })
	})

	test('keeps a limited number of events', () => {
		const many = Array.from({ length: 2 * MAX_TIMED_EVENTS }, (_, k) => at(k, 'heartbeat'))
		expect(addEvents([], many)).toHaveLength(MAX_TIMED_EVENTS)
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
	deliveredMs: fc.dictionary(fc.constantFrom('360', '720'), fc.nat(60_000)),
	isStarved: fc.boolean(),
})
const events = fc.array(fc.oneof(plainEvent, activityReport, servedSegments), { minLength: 1, maxLength: 40 })

test('the state is the same in whatever order, and however often, events come', () => {
	fc.assert(
		fc.property(events, fc.array(fc.nat(39)), (sent, order) => {
			const repeated = order.map((k) => sent[k % sent.length]).filter((event) => event !== undefined)
			const inParts = [...sent.toReversed(), ...repeated].reduce(
				(known: TimedEvent[], event) => addEvents(known, [event]),
				[],
			)
			expect(stateOfEvents(inParts)).toEqual(stateOfEvents(addEvents([], sent)))
		}),
		{ numRuns: 500 },
	)
})

test('the state is one that a player may send, whatever the events are', () => {
	fc.assert(
		fc.property(events, (sent) => {
			const result = PlaybackState.safeParse(stateOfEvents(addEvents([], sent)))
			expect(result.error?.issues ?? []).toEqual([])
		}),
		{ numRuns: 200 },
	)
})
