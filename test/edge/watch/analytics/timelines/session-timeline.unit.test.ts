import { expect, test } from 'vitest'
import {
	addEvents,
	deriveState,
	emptyEventLog,
} from '../../../../../edge/watch/analytics/sessions/event-state.ts'
import type { OpenSession } from '../../../../../edge/watch/analytics/sessions/open-session.ts'
import type { PlainEvent, TimedEvent } from '../../../../../edge/watch/analytics/sessions/timed-event.ts'
import { buildSessionTimeline } from '../../../../../edge/watch/analytics/timelines/session-timeline.ts'
import { emptyTimeline } from '../../../../../edge/watch/analytics/timelines/timeline.ts'

const START = 1_000_000

const sessionOf = (sent: readonly TimedEvent[], reportedAt: number): OpenSession => {
	const events = addEvents(emptyEventLog, sent, { startedAt: START, reportedAt })
	return {
		id: 'session-a',
		startedAt: START,
		reportedAt,
		audience: 'viewer',
		visitor: '0123456789abcdef',
		place: { device: 'tv', browser: 'other', country: null, referrer: null, player: 'other' },
		state: deriveState(events),
		intervalMs: 10_000,
		pausedSince: null,
		isEnded: false,
		events,
		reportId: null,
		timeline: emptyTimeline,
	}
}

test('a player that sends events gets entries from them, by the differences of its clock', () => {
	const clock = 7_000_000_000_000
	const event = (sec: number, kind: PlainEvent['kind'], more: Partial<PlainEvent> = {}) => ({
		kind,
		at: clock + sec * 1_000,
		positionMs: sec * 1_000,
		...more,
	})
	const events = [
		event(0, 'play', { positionMs: 0 }),
		event(1, 'quality_change', { height: 720 }),
		event(11, 'heartbeat'),
		event(21, 'heartbeat'),
		event(22, 'buffer_start'),
		event(25, 'buffer_end', { positionMs: 22_000 }),
		event(30, 'error', { error: 'decode' }),
	]
	const inAnyOrder = [...events.slice(3), ...events.slice(0, 3)]
	const { timeline, totals, ...others } = buildSessionTimeline(
		sessionOf(inAnyOrder, START + 31_000),
		60_000,
		true,
	)
	expect(
		timeline.snapshots.map(({ at, activity, stalls, stalledMs }) => [
			(at - START) / 1_000,
			activity,
			stalls,
			stalledMs,
		]),
	).toEqual([
		[0, 'playing', 0, 0],
		[1, 'playing', 0, 0],
		[21, 'playing', 0, 0],
		[22, 'stalled', 1, 0],
		[25, 'playing', 1, 3_000],
		[30, 'failed', 1, 3_000],
	])
	expect(timeline.snapshots.at(-1)).toMatchObject({ error: 'decode', shown: [720, 26_000] })
	expect(totals).toMatchObject({ error: 'decode', stalls: 1 })
	expect(JSON.stringify(others)).not.toContain('0123456789abcdef')
})

test('events that claim a time after the last report get the time of the report', () => {
	const events: PlainEvent[] = [
		{ kind: 'play', at: 0 },
		{ kind: 'pause', at: 8_640_000_000_000_000 },
	]
	const { timeline } = buildSessionTimeline(sessionOf(events, START + 5_000), 60_000, false)
	expect(timeline.snapshots.map(({ at }) => at)).toEqual([START, START + 5_000])
})

test('a time line begins with the first event of the player, whatever the clock of the server said', () => {
	const served: TimedEvent = { kind: 'served', at: 5_000, number: 1, deliveredMs: {}, isStarved: false }
	const events: TimedEvent[] = [served, { kind: 'play', at: 905_000 }, { kind: 'pause', at: 907_000 }]
	const { timeline } = buildSessionTimeline(sessionOf(events, START + 60_000), 60_000, false)
	expect(timeline.snapshots.map(({ at }) => at)).toEqual([START, START + 2_000])
})
