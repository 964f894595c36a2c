import { describe, expect, test } from 'vitest'
import { computeRewatchDeviations } from '../../../../edge/ai/highlights/ranking/rewatch.ts'

const BUCKET_MS = 1_000
const SECONDS = 300
const part = { startMs: 120_000, endMs: 150_000 }
const other = { startMs: 20_000, endMs: 50_000 }

type Options = {
	viewers?: number
	/** The share of the viewers who see a second. */
	seen?: (second: number) => number
	/** How often those who see a second repeat it. */
	repeated?: (second: number) => number
}

function viewingOf({ viewers = 200, seen = () => 1, repeated = () => 0.02 }: Options = {}) {
	const cover = Array.from({ length: SECONDS }, (_, at) => viewers * seen(at) * BUCKET_MS)
	const heat = cover.map((ms, at) => ms * (1 + repeated(at)))
	return { bucketMs: BUCKET_MS, heat, cover, starts: viewers }
}
const within = (second: number) => second >= 120 && second < 150
const peak = (second: number) => (within(second) ? 0.4 : 0.02)

describe('rewatch deviations', () => {
	test('the rewatch deviation is far above zero at a peak, and below zero elsewhere', () => {
		const [atPeak, elsewhere] = computeRewatchDeviations(viewingOf({ repeated: peak }), [part, other])
		expect(atPeak).toBeGreaterThan(2)
		expect(elsewhere).toBeLessThan(0)
	})

	test('the rewatch deviation is unknown with fewer than 100 sessions', () => {
		expect(computeRewatchDeviations(viewingOf({ viewers: 99, repeated: peak }), [part, other])).toEqual([
			null,
			null,
		])
		expect(computeRewatchDeviations(viewingOf({ viewers: 100, repeated: peak }), [part])[0]).toBeGreaterThan(
			2,
		)
	})

	test('the rewatch deviation is unknown for a part that fewer than 20 viewers saw', () => {
		const seen = (second: number) => (second < 100 ? 1 : 0.09)
		expect(computeRewatchDeviations(viewingOf({ seen, repeated: peak }), [other, part])).toEqual([
			expect.any(Number),
			null,
		])
	})

	test('the rewatch deviation does not depend on how many viewers are left', () => {
		const seen = (second: number) => 1 - second / (SECONDS + 50)
		const [decaying] = computeRewatchDeviations(viewingOf({ seen, repeated: peak }), [part])
		const [constant] = computeRewatchDeviations(viewingOf({ repeated: peak }), [part])
		expect(decaying).toBeCloseTo(constant ?? 0, 1)
	})

	test('the rewatch deviation is zero where all parts are repeated alike', () => {
		expect(computeRewatchDeviations(viewingOf({ repeated: () => 0.3 }), [part, other])).toEqual([0, 0])
	})

	test('a viewer who loops a part for days does not hide what many watch again', () => {
		const looped = (second: number) => (second >= 20 && second < 50 ? 1e6 : peak(second))
		expect(computeRewatchDeviations(viewingOf({ repeated: looped }), [part])[0]).toBeGreaterThan(0)
	})

	test('the rewatch deviation covers parts at both ends, and is null beyond the video', () => {
		const parts = [
			{ startMs: 0, endMs: 15_000 },
			{ startMs: 285_000, endMs: 300_000 },
			{ startMs: 0, endMs: 400_000 },
		]
		const [first, last, longer] = computeRewatchDeviations(viewingOf({ repeated: peak }), parts)
		expect([first, last, longer]).toEqual([expect.any(Number), expect.any(Number), null])
	})
})
