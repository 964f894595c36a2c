import { expect, test } from 'vitest'
import { readCmcd } from '../../../../../edge/watch/analytics/ingest/cmcd/read-cmcd.ts'
import {
	applyReport,
	isUrgentReport,
	type SessionReport,
} from '../../../../../edge/watch/analytics/sessions/open-session.ts'
import type { TimedEvent } from '../../../../../edge/watch/analytics/sessions/timed-event.ts'
import { recordedByHlsJs } from '../ingest/hlsjs-recording.ts'
import { stateAt } from '../states.ts'

const report = (events: TimedEvent[], isEnd = false): SessionReport => ({
	...{ sessionId: 'session-a', reportId: null, startedAt: null, mayBeElsewhere: true, audience: 'viewer' },
	place: { device: 'tv', browser: 'other', country: null, referrer: null, player: 'other' },
	...{ visitor: null, state: null, events, isEnd },
})

test('a repeated report changes no total, even if the first one claimed too much', () => {
	const load = { viewersHere: 1, viewers: 1 }
	const claimed = { ...report([]), state: stateAt(3_600) }
	const opened = applyReport(undefined, claimed, load, 0)
	const repeated = applyReport(opened, claimed, load, 1_800_000)
	expect(repeated.state).toEqual(opened.state)
	const next = { ...claimed, state: stateAt(3_600, { seq: 3_602 }) }
	expect(applyReport(opened, next, load, 1_800_000).state.watchedMs).toBeGreaterThan(opened.state.watchedMs)
})

test.each(['watchedMs', 'stalls', 'stalledMs', 'seeks', 'seekMs'] as const)(
	'a report with a lower %s than before is ignored, whatever its sequence number is',
	(name) => {
		const load = { viewersHere: 1, viewers: 1 }
		const known = stateAt(60, { stalls: 5, stalledMs: 5_000, seeks: 5, seekMs: 5_000 })
		const opened = applyReport(undefined, { ...report([]), state: known }, load, 0)
		const lower = { ...report([]), state: { ...known, seq: 99, [name]: known[name] - 1 } }
		expect(applyReport(opened, lower, load, 20_000).state).toEqual(opened.state)
	},
)

test('the end of a session and changes of its activity are written at once', () => {
	expect(isUrgentReport(report([], true))).toBe(true)
	for (const kind of ['view_start', 'play', 'pause', 'seek', 'buffer_start', 'error', 'view_end'] as const)
		expect(
			isUrgentReport(
				report([
					{ kind: 'heartbeat', at: 0 },
					{ kind, at: 1 },
				]),
			),
		).toBe(true)
})

test('reports that change nothing but the time wait for the next alarm', () => {
	expect(isUrgentReport(report([]))).toBe(false)
	expect(isUrgentReport(report([{ kind: 'heartbeat', at: 0 }]))).toBe(false)
	const served: TimedEvent = {
		kind: 'served',
		at: 0,
		number: 1,
		deliveredMs: { 720: 4_000 },
		isStarved: true,
	}
	expect(isUrgentReport(report([served]))).toBe(false)
})

test('hls.js records are urgent only if they report a new state of the player', async () => {
	for (const record of recordedByHlsJs('A'.repeat(22))) {
		const { sessions } = await readCmcd([record], undefined)
		expect(isUrgentReport(report(sessions[0]?.events ?? []))).toBe(record.includes('e=ps,'))
	}
})
