import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
	addCurves,
	type Curve,
	computeCurve,
	packCurve,
	unpackCurve,
} from '../../../../../edge/watch/analytics/sums/curve.ts'
import { propertyRuns } from '../../../../support/shared/property-runs.ts'
import { anyDurationMs, anyState, playedUpTo } from './arbitrary-sessions.ts'
import { naiveCurve, naiveMs, naivePlayback } from './naive-playback.ts'

const sumOf = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0)

function knownCurve(played: readonly number[], durationMs: number): Curve {
	const curve = computeCurve(played, durationMs)
	if (!curve) throw new Error('the duration is unknown')
	return curve
}

describe('the curve of a session', () => {
	test('the curve of a session has the played part of each second of the video', () => {
		expect(computeCurve([0, 25], 4_500)).toEqual({
			bucketMs: 1_000,
			heat: [1_000, 1_000, 500, 0, 0],
			cover: [1_000, 1_000, 500, 0, 0],
		})
	})

	test('the curve of a session has repetitions only in its heat', () => {
		expect(computeCurve([0, 20, 10, 30, 15, 16], 3_000)).toEqual({
			bucketMs: 1_000,
			heat: [1_000, 2_100, 1_000],
			cover: [1_000, 1_000, 1_000],
		})
	})

	test('the curve of a session ends at the duration of the video', () => {
		expect(computeCurve([0, 26, 40, 50], 2_550)).toMatchObject({
			heat: [1_000, 1_000, 550],
			cover: [1_000, 1_000, 550],
		})
	})

	test.each([
		[1, 1_000, 1],
		[1_000, 1_000, 1],
		[1_001, 1_000, 2],
		[1_000_000, 1_000, 1_000],
		[1_000_001, 1_100, 910],
		[7_200_000, 7_200, 1_000],
		[7_200_001, 7_300, 987],
		[2_000_000_000, 2_000_000, 1_000],
	])('the curve of a video of %d ms has buckets of %d ms, %d of them', (durationMs, bucketMs, buckets) => {
		const curve = knownCurve([], durationMs)
		expect([curve.bucketMs, curve.heat.length, curve.cover.length]).toEqual([bucketMs, buckets, buckets])
	})

	test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
		'a video with a duration of %d has no curve',
		(durationMs) => {
			expect(computeCurve([0, 10], durationMs)).toBeNull()
		},
	)

	test('the curve of a session has the heat and cover that counting tenths of a second gives', () => {
		const shortOrLong = fc.oneof(
			fc.integer({ min: 1, max: 9_999 }),
			fc.integer({ min: 990_000, max: 1_300_000 }),
		)
		const videos = shortOrLong.chain((ms) => fc.tuple(fc.constant(ms), playedUpTo(Math.ceil(ms / 90), 8)))
		fc.assert(
			fc.property(videos, ([durationMs, played]) => {
				const { bucketMs, heat, cover } = knownCurve(played, durationMs)
				const naive = naivePlayback(played, durationMs)
				expect({ heat, cover }).toEqual(naiveCurve(naive, bucketMs))
				expect(sumOf(heat)).toBe(naiveMs(naive).playedMs)
			}),
			{ numRuns: propertyRuns(60) },
		)
	})

	test('the curve of a session covers no more than was played, nor than fits into a bucket', () => {
		fc.assert(
			fc.property(anyState(), anyDurationMs, ({ played }, durationMs) => {
				const curve = computeCurve(played, durationMs)
				for (const [at, covered] of curve?.cover.entries() ?? []) {
					expect(covered).toBeGreaterThanOrEqual(0)
					expect(covered).toBeLessThanOrEqual(Math.min(curve?.heat[at] ?? 0, curve?.bucketMs ?? 0))
				}
			}),
			{ numRuns: propertyRuns(50) },
		)
	})
})

describe('added curves', () => {
	test('added curves have the sum of each bucket', () => {
		expect(addCurves(knownCurve([0, 15], 3_000), knownCurve([0, 30, 0, 10], 3_000))).toEqual({
			bucketMs: 1_000,
			heat: [3_000, 1_500, 1_000],
			cover: [2_000, 1_500, 1_000],
		})
	})

	test('added curves may have different lengths, but no different buckets', () => {
		expect(addCurves(knownCurve([0, 10], 1_000), knownCurve([10, 30], 3_000)).heat).toEqual([
			1_000, 1_000, 1_000,
		])
		expect(() => addCurves(knownCurve([], 1_000), knownCurve([], 2_000_000))).toThrow('1000 and 2000 ms')
	})

	test('added curves show falling retention if no viewer sought', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 1, max: 20_000 }),
				fc.array(fc.integer({ min: 1, max: 250 }), { minLength: 1 }),
				(durationMs, ends) => {
					const { cover } = ends.map((end) => knownCurve([0, end], durationMs)).reduce(addCurves)
					expect(cover).toEqual(cover.toSorted((a, b) => b - a))
				},
			),
		)
	})
})

describe('a packed curve', () => {
	const anyCurve = fc.record({
		bucketMs: fc.nat(2_000_000),
		values: fc.array(
			fc.tuple(
				fc.oneof(
					fc.constantFrom(0, 1_000),
					fc.nat(20).map((n) => n * 100),
					fc.nat(2 ** 50),
				),
				fc.nat(2_000_000),
			),
			{ maxLength: 50 },
		),
	})

	test('every curve is the same after packing and unpacking, even with extreme numbers', () => {
		fc.assert(
			fc.property(anyCurve, ({ bucketMs, values }) => {
				const curve = {
					bucketMs,
					heat: values.map(([heat]) => heat),
					cover: values.map(([, cover]) => cover),
				}
				expect(unpackCurve(packCurve(curve))).toEqual(curve)
			}),
			{ numRuns: propertyRuns(300) },
		)
	})

	test('the curves of sessions are the same after packing and unpacking', () => {
		fc.assert(
			fc.property(anyState(), anyDurationMs, ({ played }, durationMs) => {
				const curve = computeCurve(played, durationMs || 1)
				expect(curve && unpackCurve(packCurve(curve))).toEqual(curve)
			}),
			{ numRuns: propertyRuns(50) },
		)
	})

	test('a packed curve of one view from the start of a long video has tens of characters', () => {
		expect(packCurve(knownCurve([], 7_200_000)).length).toBeLessThan(15)
		expect(packCurve(knownCurve([0, 72_000], 7_200_000)).length).toBeLessThan(20)
		expect(packCurve(knownCurve([0, 31_234], 7_200_000)).length).toBeLessThan(25)
		expect(packCurve(knownCurve([0, 31_234], 7_199_967)).length).toBeLessThan(30)
	})

	test('a packed curve of many viewers who seek often has a few thousand characters', () => {
		const played = Array.from({ length: 2_000 }, (_, at) => {
			const start = (at * 7_919) % 65_000
			return [start, start + 1 + ((at * 104_729) % 7_000)]
		})
		expect(packCurve(knownCurve(played.flat(), 7_200_000)).length).toBeLessThan(6_000)
	})

	test('a packed curve that is cut short or has foreign characters is rejected', () => {
		const packed = packCurve(knownCurve([0, 31_234], 7_200_000))
		for (let end = 0; end < packed.length; end++)
			expect(() => unpackCurve(packed.slice(0, end))).toThrow(RangeError)
		expect(() => unpackCurve(`é${packed}`)).toThrow('no digit at position 0')
		// A run that is longer than the list, and one of nothing.
		expect(() => unpackCurve('00-1-1')).toThrow('too many buckets')
		expect(() => unpackCurve('00--')).toThrow('too many buckets')
	})
})
