import { expect, test } from 'vitest'
import { chooseFrame, SAMPLE } from '../../../../transcoder-daemon/tasks/stills/poster.ts'

/** A frame of vertical stripes. The contrast is half the difference between them. */
const stripes = (contrast: number): Buffer =>
	Buffer.from(
		Array.from(
			{ length: SAMPLE.width * SAMPLE.height },
			(_, at) => 115 + (at % 2 === 0 ? -contrast : contrast),
		),
	)
const choose = (...contrasts: number[]) => chooseFrame(Buffer.concat(contrasts.map(stripes)))

test('the poster is the most informative frame of the first 40 % of the video', () => {
	expect(choose(20, 40, 60, 80, 100, 100)).toBe(1)
	expect(choose(40, 20, 60, 80, 100, 100)).toBe(0)
	expect(choose(20, 30, 40, 50, 60, 70, 80, 90, 100, 110)).toBe(3)
})

test('the poster is the first clear frame if the first 40 % of the video are nearly of one color', () => {
	expect(choose(0, 2, 30, 60, 100, 100)).toBe(2)
})

test('the poster of a video whose frames are all nearly of one color is the best of them', () => {
	expect(choose(0, 1, 0, 3, 2, 0)).toBe(3)
	expect(choose(0)).toBe(0)
	expect(chooseFrame(Buffer.alloc(0))).toBeNull()
})
