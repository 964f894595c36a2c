import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PlaybackState } from '#schema/contract/watch/analytics/playback-state.ts'
import { computeScores, type Scores } from '../../../../../edge/watch/analytics/sums/scores.ts'
import { anyState, makeState } from './arbitrary-sessions.ts'

const minutes = (count: number) => count * 60_000
const started = { startupMs: 0, renditionMs: { '720': minutes(20) }, watchedMs: minutes(20) }
const scored = (state: Partial<PlaybackState>) => computeScores(makeState({ ...started, ...state }))

test.each([
	[0, 100],
	[400, 95.2381],
	[2_000, 80],
	[8_000, 50],
	[20_000, 28.5714],
])('a startup of %d ms scores %d', (startupMs, score) => {
	expect(scored({ startupMs }).startup).toBeCloseTo(score, 4)
})

test.each([
	// 100 / √1.25 = 89.4427 and 100 · e^(-1/6) = 84.6482
	['one stall of 5 s in 5 minutes', { stalls: 1, stalledMs: 5_000, watchedMs: minutes(5) }, 87.0454],
	// 100 / √5 = 44.7214 and 100 · e^(-1/2) = 60.6531
	['four stalls of 15 s in 20 minutes', { stalls: 4, stalledMs: 60_000, watchedMs: minutes(20) }, 52.6872],
	['no stalls', {}, 100],
	['no watch time', { watchedMs: 0 }, 100],
	// 100 / √1.25 = 89.4427 and 100 · e^(-10) = 0.0045
	['a stall that took all of the watch time', { stalls: 1, stalledMs: 9, watchedMs: 9 }, 44.7236],
	['a stall without watch time', { stalls: 1, stalledMs: 9, watchedMs: 0 }, 44.7236],
])('smoothness with $0 is $2', (_, state, score) => {
	expect(scored(state).smoothness).toBeCloseTo(score, 4)
})

test.each([
	['no upscaling', {}, 100],
	// 0.15 · 2 + 0.85 · 2 · 30 / 1,200 = 0.3425
	['200 % upscaling for 30 s of 20 minutes', { upscaleMax: 2, upscaleMs: 60_000 }, 89.3128],
	// e^(-0.33)
	['100 % upscaling all the time', { upscaleMax: 1, upscaleMs: minutes(20) }, 71.8924],
])('quality with $0 is $2', (_, state, score) => {
	expect(scored(state).quality).toBeCloseTo(score, 4)
})

test.each<[what: string, state: Partial<PlaybackState>, overall: number]>([
	['a perfect session', {}, 100],
	// 100 · 0.8^0.3
	['a startup of 2 s', { startupMs: 2_000 }, 93.5248],
	// 100 · 0.526872^0.5
	['four stalls of 15 s', { stalls: 4, stalledMs: 60_000 }, 72.5859],
	// 100 · 0.718924^0.2
	['100 % upscaling', { upscaleMax: 1, upscaleMs: minutes(20) }, 93.613],
	// 100 · 0.526872^0.5 · 0.8^0.3 · 0.718924^0.2
	[
		'all of these',
		{ startupMs: 2_000, stalls: 4, stalledMs: 60_000, upscaleMax: 1, upscaleMs: minutes(20) },
		63.5505,
	],
	['a failure after the start', { error: 'decode' }, 0],
])('the overall score of $0 is $2', (_, state, overall) => {
	expect(scored(state).overall).toBeCloseTo(overall, 3)
})

const nothing: Scores = { success: null, startup: null, smoothness: null, quality: null, overall: null }

test.each<[what: string, state: Partial<PlaybackState>, scores: Scores]>([
	['leaves within a second', { waitedMs: 999 }, nothing],
	['leaves after a second of waiting', { waitedMs: 1_000 }, { ...nothing, success: 50 }],
	[
		'fails before the first frame',
		{ error: 'network', waitedMs: 5_000 },
		{ ...nothing, success: 0, overall: 0 },
	],
])('a session that %s has no scores of playback', (_, state, scores) => {
	expect(computeScores(makeState({ renditionMs: { '720': 1_000 }, ...state }))).toEqual(scores)
})

test('a component that a player does not report leaves the overall score out', () => {
	expect(scored({ renditionMs: {} })).toMatchObject({
		success: 100,
		startup: 100,
		quality: null,
		overall: null,
	})
	expect(scored({ renditionMs: { '720': 0 } })).toMatchObject({ quality: null, overall: null })
	expect(scored({ startupMs: null, played: [0, 9] })).toMatchObject({
		success: 100,
		startup: null,
		overall: null,
	})
})

test('the overall score equals the components if all are equal', () => {
	// Startup: 100 · 8 / 10. Smoothness: the mean of 100 and 60. Quality: 100 · e^(ln 0.8).
	const upscale = -Math.log(0.8) / 0.33
	const scores = scored({
		startupMs: 2_000,
		watchedMs: 1_000_000_000,
		stalledMs: Math.round(-Math.log(0.6) * 100_000_000),
		upscaleMax: upscale,
		upscaleMs: upscale * minutes(20),
	})
	expect(scores.success).toBe(100)
	for (const name of ['startup', 'smoothness', 'quality', 'overall'] as const)
		expect(scores[name]).toBeCloseTo(80, 5)
})

test('scores of any state are null or from 0 to 100', () => {
	fc.assert(
		fc.property(anyState(), (state) => {
			for (const score of Object.values(computeScores(state))) {
				if (score === null) continue
				expect(score).toBeGreaterThanOrEqual(0)
				expect(score).toBeLessThanOrEqual(100)
			}
		}),
	)
})

test('more waiting, stalls or upscaling never raise a score', () => {
	const worse = fc.record({
		startupMs: fc.nat(60_000),
		stalls: fc.nat(9),
		stalledMs: fc.nat(minutes(20)),
		upscaleMax: fc.nat(3),
		upscaleMs: fc.nat(minutes(60)),
	})
	fc.assert(
		fc.property(worse, worse, (state, more) => {
			const names = Object.keys(more) as (keyof typeof more)[]
			for (const name of names) {
				const before = scored(state)
				const after = scored({ ...state, [name]: state[name] + more[name] })
				for (const score of ['startup', 'smoothness', 'quality', 'overall'] as const)
					expect(after[score]).toBeLessThanOrEqual(before[score] ?? Number.NaN)
			}
		}),
	)
})
