import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isExitBeforeStart, isFailed } from '../../../../../edge/watch/analytics/sums/endings.ts'
import { computeFunnel, sumCoveredMs, sumPlayedMs } from '../../../../../edge/watch/analytics/sums/funnel.ts'
import { propertyRuns } from '../../../../support/shared/property-runs.ts'
import { anyDurationMs, anyState, makeState, playedUpTo } from './arbitrary-sessions.ts'
import { naiveMs, naivePlayback } from './naive-playback.ts'

const stages = ['start', 'view', 'engaged', 'completed'] as const

function stageOf(played: number[], durationMs: number, startupMs: number | null = 500) {
	const { isStart, isView, isEngaged, isCompleted } = computeFunnel(
		makeState({ played, startupMs }),
		durationMs,
	)
	return stages[[isStart, isView, isEngaged, isCompleted].lastIndexOf(true)] ?? 'attempt'
}

test.each<[what: string, played: number[], durationMs: number, stage: string]>([
	['nothing', [], 60_000, 'start'],
	['2.9 s', [0, 29], 60_000, 'start'],
	['3 s', [0, 30], 60_000, 'view'],
	['3 s in two parts', [0, 10, 300, 320], 60_000, 'view'],
	['29.9 s of a long video', [0, 299], 600_000, 'view'],
	['30 s of a long video', [0, 300], 600_000, 'engaged'],
	['10 s three times', [0, 100, 0, 100, 0, 100], 600_000, 'engaged'],
	['half of a video of a minute, less a tenth of a second', [0, 299], 60_000, 'view'],
	['half of a video of 20 s', [0, 100], 20_000, 'engaged'],
	['less than half of a short video', [0, 19], 4_000, 'start'],
	['half of a short video', [0, 20], 4_000, 'engaged'],
	['2.9 s of a video of 6 s', [0, 29], 6_000, 'start'],
	['95 % of a video', [0, 570], 60_000, 'completed'],
	['95 % of a video in overlapping parts', [300, 570, 0, 400], 60_000, 'completed'],
	['94.8 % of a video', [0, 569], 60_000, 'engaged'],
	['half of a video twice', [0, 300, 0, 300], 60_000, 'engaged'],
	['all of a video and a frame more', [0, 601], 60_040, 'completed'],
	['only what is beyond the duration', [700, 900], 60_000, 'start'],
	['an hour of a video of unknown duration', [0, 36_000], 0, 'engaged'],
	['2.9 s of a video of unknown duration', [0, 29], 0, 'start'],
	['3 s of a video with a broken duration', [0, 30], Number.NaN, 'view'],
])('a session that played $0 reaches the stage $3', (_, played, durationMs, stage) => {
	expect(stageOf(played, durationMs)).toBe(stage)
})

test('a session starts with its first frame, or with anything played', () => {
	expect(stageOf([], 60_000, null)).toBe('attempt')
	expect(stageOf([], 60_000, 0)).toBe('start')
	expect(stageOf([0, 1], 60_000, null)).toBe('start')
})

test('playback is cut at a known duration, and covered playback needs one', () => {
	const state = makeState({ played: [0, 20, 10, 30] })
	expect(sumPlayedMs(state)).toBe(4_000)
	expect(sumPlayedMs(state, 2_550)).toBe(3_550)
	expect(sumCoveredMs(state, 10_000)).toBe(3_000)
	expect(sumCoveredMs(state, 2_550)).toBe(2_550)
	expect(sumCoveredMs(state, 0)).toBe(0)
	expect(sumCoveredMs(state, Number.POSITIVE_INFINITY)).toBe(0)
})

test('exactly 95 % of a video of any length completes it', () => {
	for (let tenths = 2; tenths < 2_000; tenths++) {
		expect(stageOf([0, tenths * 19], tenths * 2_000)).toBe('completed')
		expect(stageOf([0, tenths * 19 - 1], tenths * 2_000)).not.toBe('completed')
	}
})

test('no session reaches a stage without the one before', () => {
	fc.assert(
		fc.property(anyState(), anyDurationMs, (state, durationMs) => {
			const { isStart, isView, isEngaged, isCompleted } = computeFunnel(state, durationMs)
			const reached = [true, isStart, isView, isEngaged, isCompleted]
			expect(reached).toEqual(reached.toSorted((a, b) => Number(b) - Number(a)))
		}),
	)
})

test('stages are as defined, by counting tenths of a second', () => {
	fc.assert(
		fc.property(
			fc
				.integer({ min: 1, max: 90_000 })
				.chain((ms) => fc.tuple(fc.constant(ms), playedUpTo(Math.ceil(ms / 80), 4))),
			([durationMs, played]) => {
				const { playedMs, coveredMs } = naiveMs(naivePlayback(played, durationMs))
				const state = makeState({ played })
				expect(sumPlayedMs(state, durationMs)).toBe(playedMs)
				expect(sumCoveredMs(state, durationMs)).toBe(coveredMs)
				const isView = playedMs > 0 && (durationMs < 6_000 ? playedMs / durationMs >= 0.5 : playedMs >= 3_000)
				expect(computeFunnel(state, durationMs)).toEqual({
					isStart: played.length > 0,
					isView,
					isEngaged: isView && (playedMs >= 30_000 || playedMs / durationMs >= 0.5),
					isCompleted: isView && coveredMs / durationMs >= 0.95,
				})
			},
		),
		{ numRuns: propertyRuns(100) },
	)
})

test('a session fails with an error or in the state failed', () => {
	expect(isFailed(makeState({ error: 'decode' }))).toBe(true)
	expect(isFailed(makeState({ activity: 'failed' }))).toBe(true)
	expect(isFailed(makeState({ activity: 'stalled' }))).toBe(false)
})

test('a viewer exits before the start after a second of waiting without a frame or an error', () => {
	const waiting = { waitedMs: 1_000 }
	expect(isExitBeforeStart(makeState(waiting))).toBe(true)
	expect(isExitBeforeStart(makeState({ waitedMs: 999 }))).toBe(false)
	expect(isExitBeforeStart(makeState({ ...waiting, startupMs: 1_000 }))).toBe(false)
	expect(isExitBeforeStart(makeState({ ...waiting, played: [0, 1] }))).toBe(false)
	expect(isExitBeforeStart(makeState({ ...waiting, error: 'network' }))).toBe(false)
	expect(isExitBeforeStart(makeState({ ...waiting, activity: 'failed' }))).toBe(false)
})
