import { expect, test } from 'vitest'
import { readCmcd } from '../../../../edge/analytics/ingest/cmcd/read-cmcd.ts'
import { isUrgentReport, type SessionReport } from '../../../../edge/analytics/sessions/open-session.ts'
import type { TimedEvent } from '../../../../edge/analytics/sessions/timed-event.ts'
import { recordedByHlsJs } from '../ingest/hlsjs-recording.ts'

const report = (events: TimedEvent[], isEnd = false): SessionReport => ({
	...{ sessionId: 'session-a', reportId: null, startedAt: null, mayBeElsewhere: true, audience: 'viewer' },
	place: { device: 'tv', browser: 'other', country: null, referrer: null, player: 'other' },
	...{ visitor: null, state: null, events, isEnd },
})

test('the end of a session and changes of what a player does are written at once', () => {
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

test('reports that say only that time has passed wait for the next alarm', () => {
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

test('of the records of hls.js, only those that say a new state of the player are urgent', async () => {
	for (const record of recordedByHlsJs('A'.repeat(22))) {
		const { sessions } = await readCmcd([record], undefined)
		expect(isUrgentReport(report(sessions[0]?.events ?? []))).toBe(record.includes('e=ps,'))
	}
})
