import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { backgrounds, chooseAccentColors, timeLine } from '../../../../edge/watch/player/colors.ts'
import { computeContrast, computeLuminance } from '../../../../edge/watch/settings/contrast.ts'
import { propertyRuns } from '../../../support/shared/property-runs.ts'

const themes = ['light', 'dark'] as const
const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)

describe('the colors of any accent', () => {
	test('the colors of any accent are readable on the panels of both themes, and so is text on it', () => {
		fc.assert(
			fc.property(color, (accent) => {
				const { onAccent, control, text } = chooseAccentColors(accent)
				expect(computeContrast(onAccent, accent)).toBeGreaterThanOrEqual(4.5)
				for (const theme of themes) {
					expect(computeContrast(control[theme], backgrounds[theme])).toBeGreaterThanOrEqual(3)
					expect(computeContrast(text[theme], backgrounds[theme])).toBeGreaterThanOrEqual(4.5)
				}
			}),
			{
				numRuns: propertyRuns(300),
				examples: [['#000000'], ['#ffffff'], ['#808080'], ['#17161b'], ['#ffff00']],
			},
		)
	})

	test('the played, loaded and remaining parts of the time line differ by 3:1 for 1,000 accents', () => {
		const { rest, loaded } = timeLine
		expect(computeContrast(loaded, rest)).toBeGreaterThanOrEqual(3)
		fc.assert(
			fc.property(color, (accent) => {
				const { played } = chooseAccentColors(accent)
				expect(computeContrast(played, loaded)).toBeGreaterThanOrEqual(3)
				expect(computeContrast(played, rest)).toBeGreaterThanOrEqual(3)
				expect(computeLuminance(played)).toBeGreaterThan(computeLuminance(loaded))
			}),
			{ numRuns: propertyRuns(1_000), examples: [['#000000'], ['#ffffff'], [loaded], ['#0000ff']] },
		)
	})

	test('the colors of an accent are written as six hexadecimal digits', () => {
		fc.assert(
			fc.property(color, (accent) => {
				const { control, text, onAccent } = chooseAccentColors(accent)
				for (const each of [onAccent, ...Object.values(control), ...Object.values(text)])
					expect(each).toMatch(/^#[0-9a-f]{6}$/)
			}),
		)
	})
})

test('a readable accent stays unchanged, and another one changes as little as needed', () => {
	const { text, control } = chooseAccentColors('#4f46e5')
	expect([text.light, control.light]).toEqual(['#4f46e5', '#4f46e5'])
	const { light } = chooseAccentColors('#ffcc00').text
	expect(computeContrast(light, backgrounds.light)).toBeLessThan(5)
	expect(chooseAccentColors('#ffcc00').text.dark).toBe('#ffcc00')
	expect(chooseAccentColors('#ffcc00').played).toBe('#ffcc00')
})
