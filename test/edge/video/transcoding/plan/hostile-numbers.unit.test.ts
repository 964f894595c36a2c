import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MediaInfo } from '#schema/contract/video/media-info.ts'
import { planJob, UnplayableError } from '../../../../../edge/video/transcoding/plan/plan.ts'
import { findResultProblem } from '../../../../../edge/video/transcoding/plan/result-problem.ts'
import { describeOptions, describeSource } from '../../../../support/shared/described-source.ts'
import { propertyRuns } from '../../../../support/shared/property-runs.ts'

const encoders = { h264: 'libx264', hevc: 'libx265', av1: 'libsvtav1' }
const options = describeOptions({ codecs: ['h264', 'hevc', 'av1'], encoders })
const effort = { workSec: 1, mediaSec: 1, hwAccelUsed: false, notes: [] }
const problemOf = (info: MediaInfo) =>
	findResultProblem({ kind: 'inspect', maxDurationSec: 1 }, { kind: 'inspect', info, ...effort })

const whole = fc.constantFrom(
	1,
	2,
	3,
	300,
	1_001,
	10_000,
	65_535,
	1_000_000,
	2 ** 31,
	Number.MAX_SAFE_INTEGER,
)
const seconds = fc.constantFrom(-86_400, 0, 0.001, 0.1, 1, 60, 43_200, 1_000_000)
const numbers = fc.record({
	frameRate: fc.record({ num: whole, den: whole }),
	frameCount: fc.option(whole),
	startSec: seconds,
	durationSec: seconds,
	longestGopSec: fc.option(seconds),
	keyframes: fc.constantFrom<number[] | null>(null, [0], [0, 1, 2], [5, 2, 2], [0, 2 ** 53 - 1]),
	displayWidth: whole,
	displayHeight: whole,
})

test('a plan stays bounded for any numbers in an inspection', () => {
	let planned = 0
	fc.assert(
		fc.property(numbers, (video) => {
			const info = describeSource(Math.max(0.001, video.durationSec), video)
			if (!MediaInfo.safeParse(info).success || problemOf(info) !== null) return
			try {
				const { tasks } = planJob(info, options)
				const cuts = tasks.reduce((sum, { spec }) => sum + ('cuts' in spec ? spec.cuts.length : 0), 0)
				expect(tasks.length).toBeLessThan(20_000)
				expect(cuts).toBeLessThan(200_000)
				planned++
			} catch (error) {
				if (!(error instanceof UnplayableError)) throw error
			}
		}),
		{ seed: 16, numRuns: propertyRuns(200) },
	)
	expect(planned).toBeGreaterThan(1)
})

test.each([
	['10,000 frames per second', { frameRate: { num: 10_000, den: 1 } }],
	['one frame in millions of years', { frameRate: { num: 1, den: Number.MAX_SAFE_INTEGER } }],
	['more frames than fit into its time', { frameCount: Number.MAX_SAFE_INTEGER }],
	['a start after eleven days', { startSec: 999_999 }],
])('an inspection with %s is rejected', (_, video) => {
	expect(problemOf(describeSource(60))).toBeNull()
	expect(problemOf(describeSource(60, video))).toMatch(/\w/)
})
