import { expect, test } from 'vitest'
import { findNextFrameSec } from '../../../../../edge/web/player/controls/frame-step.ts'

test.each([24, 25, 30_000 / 1_001, 30, 50, 59.94, 60])(
	'frame steps at %d frames per second visit each frame once, forward and back',
	(fps) => {
		let sec = 120 / fps
		const visited = (direction: 1 | -1) =>
			Array.from({ length: 50 }, () => {
				sec = findNextFrameSec(sec, fps, direction)
				return Math.floor(sec * fps)
			})
		expect(visited(1)).toEqual(Array.from({ length: 50 }, (_, at) => 121 + at))
		expect(visited(-1)).toEqual(Array.from({ length: 50 }, (_, at) => 169 - at))
	},
)

test('a frame step back at the first frame stays there, and 25 frames per second are assumed', () => {
	expect(findNextFrameSec(0, 25, -1)).toBe(0.02)
	expect(findNextFrameSec(0, null, 1)).toBe(0.06)
})
