import { expect, test } from 'vitest'
import { computeWordErrorRate, splitIntoWords } from '../../../../scripts/bench/speech/word-errors.ts'
import { needs } from '../../../support/shared/needs.ts'
import { chooserFrom } from '../../../support/shared/random.ts'
import { hasSclite, scliteErrors } from '../../../support/shared/speech/sclite.ts'

test.each([
	['the same text', 'Mix the flour.', 'mix the flour', 0],
	['a replaced word', 'mix the flour', 'mix a flour', 1 / 3],
	['an inserted word', 'mix the flour', 'mix up the flour', 1 / 3],
	['a missing word', 'mix the flour', 'the flour', 1 / 3],
	['silence', 'mix the flour', '', 1],
	['a longer invention', 'yes', 'so it is', 3],
])('the word error rate of %s is computed', (_, said, heard, rate) =>
	expect(computeWordErrorRate(said, heard)).toBeCloseTo(rate),
)

test('the word error rate agrees with sclite for random texts', needs({ sclite: hasSclite }), async () => {
	const { one, below } = chooserFrom(7)
	const text = (length: number) =>
		Array.from({ length }, () => one(['ba', 'be', 'bi', 'bo', 'bu', 'by'])).join(' ')
	const pairs = Array.from({ length: 40 }, () => ({ said: text(1 + below(12)), heard: text(below(14)) }))
	for (const [at, total] of (await scliteErrors(pairs)).entries()) {
		const { said = '', heard = '' } = pairs[at] ?? {}
		// sclite prefers alignments by weights of its own, so it may count one error more.
		expect(total - computeWordErrorRate(said, heard) * splitIntoWords(said).length).toBeLessThan(1.5)
		expect(total - computeWordErrorRate(said, heard) * splitIntoWords(said).length).toBeGreaterThan(-0.001)
	}
})
