import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { choosePlayerSize, fitWithin } from '../../../../../edge/watch/player/sharing/sizes.ts'

const side = fc.integer({ min: 1, max: 16_384 })
const size = fc.record({ width: side, height: side })
const maximum = fc.record({ width: side, height: side }, { requiredKeys: [] })

describe('the size of a player', () => {
	test.each([
		[{ width: 1920, height: 1080 }, {}, { width: 1280, height: 720 }],
		[{ width: 1080, height: 1920 }, {}, { width: 720, height: 1280 }],
		[{ width: 640, height: 360 }, {}, { width: 640, height: 360 }],
		[{ width: 1920, height: 1080 }, { width: 480 }, { width: 480, height: 270 }],
		[{ width: 1920, height: 1080 }, { height: 270 }, { width: 480, height: 270 }],
		[{ width: 1080, height: 1920 }, { width: 480 }, { width: 480, height: 853 }],
		[
			{ width: 1920, height: 1080 },
			{ width: 800, height: 100 },
			{ width: 178, height: 100 },
		],
		[
			{ width: 1920, height: 1080 },
			{ width: 4_000, height: 4_000 },
			{ width: 1280, height: 720 },
		],
		[{ width: 16_000, height: 2 }, { width: 100 }, { width: 100, height: 1 }],
	])('the size of a player of %j within %j is %j', (video, box, expected) => {
		expect(fitWithin(video, box)).toEqual(expected)
	})

	test('the size of a player fits the box, never exceeds the video, and keeps the ratio to a pixel', () => {
		fc.assert(
			fc.property(size, maximum, (video, box) => {
				const { width, height } = fitWithin(video, box)
				for (const [side, limit, original] of [
					[width, box.width, video.width],
					[height, box.height, video.height],
				] as const) {
					expect(Number.isInteger(side) && side >= 1).toBe(true)
					expect(side).toBeLessThanOrEqual(Math.min(limit ?? 1_280, 1_280, original))
				}
				const factor = Math.max(width / video.width, height / video.height)
				expect(Math.abs(width - Math.max(1, video.width * factor))).toBeLessThanOrEqual(
					Math.max(1, video.width / video.height),
				)
				expect(Math.abs(height - Math.max(1, video.height * factor))).toBeLessThanOrEqual(
					Math.max(1, video.height / video.width),
				)
			}),
		)
	})

	test('the size of a player fills the box in one direction, or is that of the video', () => {
		fc.assert(
			fc.property(size, maximum, (video, box) => {
				const fitted = fitWithin(video, box)
				const isFull =
					fitted.width === Math.min(box.width ?? 1_280, 1_280) ||
					fitted.height === Math.min(box.height ?? 1_280, 1_280)
				expect(isFull || (fitted.width === video.width && fitted.height === video.height)).toBe(true)
			}),
		)
	})

	test('the size of a player for audio is 180 px high at each width', () => {
		const audio = choosePlayerSize({ width: null, height: null })
		expect(fitWithin(audio)).toEqual({ width: 640, height: 180 })
		expect(fitWithin(audio, { width: 320 })).toEqual({ width: 320, height: 180 })
		expect(fitWithin(audio, { width: 320, height: 100 })).toEqual({ width: 320, height: 100 })
		// A video of that size keeps its aspect ratio.
		expect(fitWithin({ width: 640, height: 180 }, { width: 320 })).toEqual({ width: 320, height: 90 })
		expect(choosePlayerSize({ width: 1080, height: 1920 })).toEqual({ width: 1080, height: 1920 })
	})
})
