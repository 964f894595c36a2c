import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Activity, PlaybackState } from '#schema/contract/watch/analytics/playback-state.ts'
import {
	addToTimeline,
	diffShown,
	emptyTimeline,
	type Timeline,
} from '../../../../../edge/watch/analytics/timelines/timeline.ts'
import { stateAt } from '../states.ts'

const BEAT_MS = 10_000

const timelineOf = (states: readonly Partial<PlaybackState>[], start: Timeline = emptyTimeline): Timeline =>
	states.reduce<Timeline>(
		(timeline, state, k) => addToTimeline(timeline, k * BEAT_MS, stateAt(10 * k, state)),
		start,
	)
const outlineOf = ({ snapshots }: Timeline) => snapshots.map(({ at, activity }) => [at / BEAT_MS, activity])

describe('a time line', () => {
	test('the time line of an uneventful playback has its first and its last report', () => {
		const renditionMs = (k: number) => ({ 720: k * BEAT_MS })
		const timeline = timelineOf(Array.from({ length: 100 }, (_, k) => ({ renditionMs: renditionMs(k + 1) })))
		expect(timeline.omitted).toBe(0)
		expect(timeline.snapshots).toMatchObject([
			{ at: 0, activity: 'playing', positionMs: 0 },
			{ at: 99 * BEAT_MS, positionMs: 990_000, shown: [720, 100 * BEAT_MS] },
		])
	})

	test('a time line shows when the activity changed, a stall happened, or another quality was shown', () => {
		const shown = (low: number, high: number) => ({ 720: low, 1080: high })
		const timeline = timelineOf([
			{ renditionMs: shown(10_000, 0) },
			{ renditionMs: shown(20_000, 0) },
			{ renditionMs: shown(30_000, 0) },
			{ renditionMs: shown(30_000, 10_000) },
			{ renditionMs: shown(30_000, 20_000) },
			{ renditionMs: shown(30_000, 25_000), stalls: 1, stalledMs: 5_000 },
			{ renditionMs: shown(30_000, 35_000), stalls: 1, stalledMs: 5_000 },
			{ renditionMs: shown(30_000, 45_000), stalls: 1, stalledMs: 5_000 },
			{ renditionMs: shown(30_000, 50_000), stalls: 1, stalledMs: 5_000, activity: 'paused' },
			{
				renditionMs: shown(30_000, 50_000),
				stalls: 1,
				stalledMs: 5_000,
				activity: 'failed',
				error: 'decode',
			},
		])
		expect(outlineOf(timeline)).toEqual([
			[0, 'playing'],
			[2, 'playing'],
			[4, 'playing'],
			[5, 'playing'],
			[7, 'playing'],
			[8, 'paused'],
			[9, 'failed'],
		])
		const { snapshots } = timeline
		expect(snapshots.map((snapshot, k) => diffShown(snapshots[k - 1], snapshot))).toEqual([
			{ 720: 10_000 },
			{ 720: 20_000 },
			{ 1080: 20_000 },
			{ 1080: 5_000 },
			{ 1080: 20_000 },
			{ 1080: 5_000 },
			{},
		])
		expect(snapshots.at(-1)?.error).toBe('decode')
	})

	test('a time line does not run backwards if the clocks of two machines differ', () => {
		const first = addToTimeline(emptyTimeline, 5_000, stateAt(0))
		const { snapshots } = addToTimeline(first, 4_000, stateAt(1, { activity: 'paused' }))
		expect(snapshots.map(({ at }) => at)).toEqual([5_000, 5_000])
	})

	test('a time line of more than 200 entries drops some of the middle, and keeps the first and last ones', () => {
		const activityAt = (k: number): Activity => (k % 2 === 0 ? 'playing' : 'paused')
		const timeline = timelineOf(Array.from({ length: 1_000 }, (_, k) => ({ activity: activityAt(k) })))
		const times = timeline.snapshots.map(({ at }) => at / BEAT_MS)
		expect(times.slice(0, 50)).toEqual(Array.from({ length: 50 }, (_, k) => k))
		expect(times.slice(-50)).toEqual(Array.from({ length: 50 }, (_, k) => 950 + k))
		expect(timeline.snapshots.length).toBeGreaterThan(150)
		expect(timeline.snapshots.length).toBeLessThanOrEqual(200)
		expect(timeline.snapshots.length + timeline.omitted).toBe(1_000)
	})

	test('a time line is bounded and sorted, ends with the newest state, and adds up to its totals', () => {
		const step = fc.record({
			afterMs: fc.integer({ min: -1_000, max: 60_000 }),
			activity: fc.constantFrom<Activity>('playing', 'paused', 'stalled'),
			height: fc.constantFrom('480', '720', '1080'),
			ms: fc.nat(1_000),
			stalls: fc.nat(1),
		})
		fc.assert(
			fc.property(fc.array(step, { minLength: 1, maxLength: 600, size: 'max' }), (steps) => {
				let timeline = emptyTimeline
				let at = 100_000
				let stalls = 0
				let shown = new Map<string, number>()
				const changedAt = new Map<number, Activity>()
				let activity: Activity | null = null
				for (const each of steps) {
					at += each.afterMs
					stalls += each.stalls
					shown = new Map(shown).set(each.height, (shown.get(each.height) ?? 0) + each.ms)
					const state = stateAt(1, {
						activity: each.activity,
						stalls,
						renditionMs: Object.fromEntries(shown),
					})
					timeline = addToTimeline(timeline, at, state)
					if (each.activity !== activity) changedAt.set(timeline.snapshots.at(-1)?.at ?? 0, each.activity)
					activity = each.activity
				}
				const { snapshots, omitted } = timeline
				const times = snapshots.map((snapshot) => snapshot.at)
				expect(snapshots.length).toBeLessThanOrEqual(200)
				expect(times).toEqual(times.toSorted((a, b) => a - b))
				expect(snapshots.at(-1)).toMatchObject({ activity, stalls })
				const sums = new Map<string, number>()
				for (const [k, snapshot] of snapshots.entries())
					for (const [height, ms] of Object.entries(diffShown(snapshots[k - 1], snapshot)))
						sums.set(height, (sums.get(height) ?? 0) + ms)
				for (const [height, ms] of shown) expect(sums.get(height) ?? 0).toBe(ms)
				if (omitted === 0) for (const changed of changedAt.keys()) expect(times).toContain(changed)
			}),
		)
	})
})
