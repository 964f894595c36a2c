import { expect, test } from 'vitest'
import {
	computeBeatIntervalMs,
	isPresent,
	type Presence,
} from '../../../../../edge/watch/analytics/sessions/presence.ts'

const present: Presence = {
	audience: 'viewer',
	activity: 'playing',
	reportedAt: 1_000_000,
	intervalMs: 10_000,
	pausedSince: null,
	isEnded: false,
}

test('players report less often over time, and when many watch', () => {
	const of = (ageMs: number, viewersHere = 1, viewers = viewersHere) =>
		computeBeatIntervalMs({ ageMs, viewersHere, viewers })
	expect([of(0), of(59_000), of(60_000), of(300_000)]).toEqual([10_000, 10_000, 30_000, 60_000])
	expect([of(0, 5_000), of(0, 8_000), of(0, 100_000)]).toEqual([20_000, 32_000, 120_000])
	expect(of(0, 5_000, 1_000_000)).toBe(100_000)
})

test('a viewer is present for two and a half intervals after each report', () => {
	expect(isPresent(present, 1_025_000)).toBe(true)
	expect(isPresent(present, 1_025_001)).toBe(false)
	expect(isPresent({ ...present, intervalMs: 120_000 }, 1_300_000)).toBe(true)
})

test('a viewer is not present after leaving, failing or a pause of five minutes', () => {
	const now = 1_001_000
	for (const gone of [
		{ isEnded: true },
		{ activity: 'ended' },
		{ activity: 'failed' },
		{ audience: 'member' },
		{ audience: 'bot' },
		{ pausedSince: now - 300_001 },
	] satisfies Partial<Presence>[])
		expect([gone, isPresent({ ...present, ...gone }, now)]).toEqual([gone, false])
	for (const here of [
		{ activity: 'starting' },
		{ activity: 'stalled' },
		{ pausedSince: now - 300_000 },
	] as const)
		expect(isPresent({ ...present, ...here }, now)).toBe(true)
})
