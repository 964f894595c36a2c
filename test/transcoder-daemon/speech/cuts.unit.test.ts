import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutSpeech } from '../../../transcoder-daemon/speech/cuts.ts'
import type { TimeSpan } from '../../../transcoder-daemon/speech/voice-activity.ts'
import { propertyRuns } from '../../support/shared/property-runs.ts'

const limits = { minMs: 7_500, maxMs: 10_000 }

test('speech is cut in the middle of the longest silence of the last quarter', () => {
	const speech: TimeSpan[] = [
		[0, 3_000],
		[5_000, 8_000],
		[8_400, 9_000],
		[9_800, 15_000],
	]
	expect(cutSpeech(speech, 15_000, limits).map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
		[0, 9_400],
		[9_400, 15_000],
	])
})

test('speech chunks overlap where nobody pauses', () => {
	expect(cutSpeech([[0, 16_000]], 16_000, limits)).toEqual([
		{ startMs: 0, endMs: 10_000, fromMs: 0, toMs: 12_000 },
		{ startMs: 10_000, endMs: 16_000, fromMs: 8_000, toMs: 16_000 },
	])
})

test('silence gets no speech chunk', () => {
	expect(cutSpeech([], 60_000, limits)).toEqual([])
	expect(cutSpeech([[50_000, 51_000]], 60_000, limits)).toHaveLength(1)
})

test('speech chunks cover all speech once, in order', () => {
	const gaps = fc.array(fc.tuple(fc.nat(12_000), fc.integer({ min: 100, max: 25_000 })), { maxLength: 20 })
	fc.assert(
		fc.property(gaps, (pairs) => {
			let at = 0
			const speech = pairs.map(([silence, spoken], k): TimeSpan => {
				const from = at + silence + (k > 0 ? 300 : 0)
				at = from + spoken
				return [from, at]
			})
			const chunks = cutSpeech(speech, at + 100, limits)
			let last = 0
			for (const { startMs, endMs, fromMs, toMs } of chunks) {
				expect(startMs).toBeGreaterThanOrEqual(last)
				expect(endMs - startMs).toBeGreaterThan(0)
				expect(endMs - startMs).toBeLessThanOrEqual(limits.maxMs)
				expect([fromMs <= startMs, endMs <= toMs, toMs <= at + 100]).toEqual([true, true, true])
				last = endMs
			}
			for (const [from, to] of speech) {
				const covered = chunks.reduce(
					(sum, { startMs, endMs }) => sum + Math.max(0, Math.min(to, endMs) - Math.max(from, startMs)),
					0,
				)
				expect(covered).toBe(to - from)
			}
		}),
		{ seed: 7, numRuns: propertyRuns(200) },
	)
})
