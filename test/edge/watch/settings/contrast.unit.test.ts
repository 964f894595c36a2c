import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
	chooseTextColor,
	computeContrast,
	computeLuminance,
} from '../../../../edge/watch/settings/contrast.ts'
import { propertyRuns } from '../../../support/shared/property-runs.ts'

const AA = 4.5
const hex = (value: number) => `#${value.toString(16).padStart(6, '0')}`

test.each([
	['#000000', 0],
	['#ffffff', 1],
	['#ff0000', 0.2126],
	['#00ff00', 0.7152],
	['#0000ff', 0.0722],
	['#808080', 0.2159],
])('the luminance of %s is %d', (color, luminance) => {
	expect(computeLuminance(color)).toBeCloseTo(luminance, 4)
})

test.each([
	['#000000', '#ffffff', 21],
	['#777777', '#ffffff', 4.48],
	['#767676', '#ffffff', 4.54],
	['#4f46e5', '#ffffff', 6.29],
	['#123456', '#123456', 1],
])('the contrast of %s and %s is %d, in both directions', (one, other, ratio) => {
	expect(computeContrast(one, other)).toBeCloseTo(ratio, 2)
	expect(computeContrast(other, one)).toBe(computeContrast(one, other))
})

test.each([
	['#4f46e5', '#ffffff'],
	['#ffcc00', '#000000'],
	['#ff0000', '#000000'],
	['#0000ff', '#ffffff'],
])('text on the color %s is %s', (background, text) => {
	expect(chooseTextColor(background)).toBe(text)
})

test('text has a contrast of at least 4.5:1 on every color, and never less than the other text color', () => {
	fc.assert(
		fc.property(fc.integer({ min: 0, max: 0xffffff }).map(hex), (color) => {
			const text = chooseTextColor(color)
			expect(computeContrast(text, color)).toBeGreaterThanOrEqual(AA)
			const other = text === '#000000' ? '#ffffff' : '#000000'
			expect(computeContrast(text, color)).toBeGreaterThanOrEqual(computeContrast(other, color))
		}),
		{ numRuns: propertyRuns(1_000) },
	)
	let worst = 21
	// Every color whose channels are multiples of 5.
	for (let red = 0; red < 256; red += 5)
		for (let green = 0; green < 256; green += 5)
			for (let blue = 0; blue < 256; blue += 5) {
				const color = hex(red * 0x10000 + green * 0x100 + blue)
				worst = Math.min(worst, computeContrast(chooseTextColor(color), color))
			}
	expect(worst).toBeGreaterThan(4.58)
})
