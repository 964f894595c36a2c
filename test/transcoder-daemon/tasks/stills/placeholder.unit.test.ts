import fc from 'fast-check'
import { thumbHashToAverageRGBA } from 'thumbhash'
import { expect, test } from 'vitest'
import { ThumbHash } from '#schema/contract/kit/fields.ts'
import {
	choosePlaceholderSize,
	computePlaceholder,
} from '../../../../transcoder-daemon/tasks/stills/placeholder.ts'
import { propertyRuns } from '../../../support/shared/property-runs.ts'

test.each<[width: number, height: number, small: string]>([
	[1280, 720, '100x56'],
	[720, 1280, '56x100'],
	[1280, 2, '100x1'],
	[100, 100, '100x100'],
	[16, 10, '16x10'],
])('a poster of %dx%d becomes a small image of %s', (width, height, expected) => {
	const small = choosePlaceholderSize({ width, height })
	expect(`${small.width}x${small.height}`).toBe(expected)
})

test('a placeholder of any size and content is valid in a task result', () => {
	const side = fc.integer({ min: 1, max: 100 })
	fc.assert(
		fc.property(side, side, fc.infiniteStream(fc.integer({ min: 0, max: 255 })), (width, height, values) => {
			const rgba = Buffer.from([...values.take(width * height * 4)])
			for (let at = 3; at < rgba.length; at += 4) rgba[at] = 255
			ThumbHash.parse(computePlaceholder(rgba, { width, height }, 0))
		}),
		{ seed: 19, numRuns: propertyRuns(20) },
	)
})

const size = { width: 3, height: 2 }
const filled = (...color: [number, number, number]) =>
	Buffer.concat(Array.from({ length: size.width * size.height }, () => Buffer.from([...color, 255])))

test('a placeholder is made from the frame with the given index', () => {
	const pictures = Buffer.concat([filled(255, 0, 0), filled(0, 0, 255)])
	const averages = [0, 1].map((index) =>
		thumbHashToAverageRGBA(Buffer.from(computePlaceholder(pictures, size, index), 'base64')),
	)
	expect(averages.map(({ r, b }) => [Math.round(r), Math.round(b)])).toEqual([
		[1, 0],
		[0, 1],
	])
})

test('no placeholder is made from an incomplete frame', () => {
	const pictures = filled(255, 0, 0).subarray(1)
	expect(() => computePlaceholder(pictures, size, 0)).toThrow('no small picture with index 0')
})
