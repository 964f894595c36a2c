import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
	addToHistogram,
	computeQuantile,
	type Histogram,
	mergeHistograms,
} from '../../../../../edge/watch/analytics/sums/histogram.ts'
import { propertyRuns } from '../../../../support/shared/property-runs.ts'

const MAX_MS = 600_000
const histogramOf = (times: readonly number[]) => times.reduce<Histogram>(addToHistogram, {})

test('an empty histogram has no quantiles', () => {
	expect(computeQuantile({}, 0.5)).toBeNull()
})

test.each([
	[0, 0],
	[1, 1],
	[2, 2],
	[MAX_MS, 0.5],
])('every quantile of a histogram of %d ms alone is this value', (ms) => {
	for (const q of [0, 0.5, 1]) {
		const value = computeQuantile(histogramOf([ms]), q) ?? Number.NaN
		expect(Math.abs(value - ms)).toBeLessThanOrEqual(ms * 0.02 + 0.5)
	}
})

test('a histogram has a separate bucket for 0 ms', () => {
	expect(histogramOf([0, 0, 1])).toEqual({ 0: 2, 1: 1 })
})

test('a histogram counts durations over ten minutes in the last bucket', () => {
	expect(histogramOf([MAX_MS, MAX_MS + 1, 2_000_000_000])).toEqual({ 334: 3 })
	const buckets = Array.from({ length: MAX_MS / 100 }, (_, at) => Object.keys(histogramOf([at * 100])))
	expect(Math.max(...buckets.flat().map(Number))).toBe(334)
})

test('half of the durations in a histogram are at most its median', () => {
	const histogram = histogramOf([100, 200, 300, 400])
	expect(computeQuantile(histogram, 0.5)).toBe(computeQuantile(histogramOf([200]), 0.5))
	expect(computeQuantile(histogram, 0.51)).toBe(computeQuantile(histogramOf([300]), 0.5))
	expect(computeQuantile(histogram, 0)).toBe(computeQuantile(histogramOf([100]), 0.5))
	expect(computeQuantile(histogram, 1)).toBe(computeQuantile(histogramOf([400]), 0.5))
})

const durations = fc.array(
	fc.oneof(fc.nat(3), fc.nat(5_000), fc.nat(MAX_MS), fc.constantFrom(MAX_MS, 2_000_000_000)),
	{ maxLength: 40 },
)

test('every quantile of a histogram is within 2 % of the exact one, and rounding', () => {
	fc.assert(
		fc.property(durations, fc.double({ min: 0, max: 1, noNaN: true }), (times, q) => {
			const bounded = times.map((ms) => Math.min(ms, MAX_MS)).toSorted((a, b) => a - b)
			const exact = bounded.find((_, at) => (at + 1) / bounded.length >= q) ?? null
			const estimate = computeQuantile(histogramOf(times), q)
			if (exact === null || estimate === null) expect(estimate).toBe(exact)
			else expect(Math.abs(estimate - exact)).toBeLessThanOrEqual(exact * 0.02 + 0.5)
		}),
		{ numRuns: propertyRuns(300) },
	)
})

test('a histogram records any duration in its range within 2 %', () => {
	for (let ms = 1; ms <= MAX_MS; ms = Math.ceil(ms * 1.003)) {
		const estimate = computeQuantile(histogramOf([ms]), 0.5) ?? Number.NaN
		expect(Math.abs(estimate - ms)).toBeLessThanOrEqual(ms * 0.02 + 0.5)
	}
})

test('histograms are the same in whatever order they are merged', () => {
	fc.assert(
		fc.property(durations, durations, durations, (a, b, c) => {
			const [x, y, z] = [histogramOf(a), histogramOf(b), histogramOf(c)]
			const whole = JSON.stringify(histogramOf([...a, ...b, ...c]))
			expect(JSON.stringify(mergeHistograms(mergeHistograms(x, y), z))).toBe(whole)
			expect(JSON.stringify(mergeHistograms(mergeHistograms(z, y), x))).toBe(whole)
			expect(JSON.stringify(mergeHistograms(x, mergeHistograms(z, y)))).toBe(whole)
			expect(mergeHistograms(x, {})).toEqual(x)
		}),
	)
})
