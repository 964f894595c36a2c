/** @module-tag d1 */
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openBillingWorld } from './billing-world.ts'
import { live, type Passage } from './lives.ts'
import { stories } from './stories.ts'

/** Set by npm run prove -- billing for the long version. */
const runs = Number(env.PROOF_BILLING_RUNS || 1)
const seed = Number(env.PROOF_BILLING_SEED || 41)

const passage = fc.record<Passage>({
	isLost: fc.boolean(),
	delay: fc.nat({ max: 6 }),
	copies: fc.integer({ min: 1, max: 2 }),
	answerTakes: fc.nat({ max: 12 }),
})
/** In most stories no event is lost, so that no nightly comparison repairs what events left. */
const passages = fc.noBias(
	fc
		.tuple(fc.nat({ max: 3 }), fc.array(passage, { minLength: 12, maxLength: 12 }))
		.map(([kind, all]) => all.map((each) => ({ ...each, isLost: each.isLost && kind === 0 }))),
)

test('every order, repetition, loss and delay of Stripe events leads to the same end of each story', async () => {
	const { world, stripe } = await openBillingWorld()
	await fc.assert(
		fc.asyncProperty(fc.tuple(...stories.map(() => passages)), async (cases) => {
			const ends = await live(
				world,
				stripe,
				stories.map((story, at) => ({ story, passages: cases[at] ?? [] })),
			)
			expect(ends.map(({ stored }) => stored)).toEqual(ends.map(({ expected }) => expected))
			// Nobody pays twice, in whatever order two purchases become known.
			expect(ends.filter(({ paying }) => paying > 1)).toEqual([])
		}),
		{ numRuns: runs, seed, endOnFailure: true },
	)
})
