import { describe, expect, test } from 'vitest'
import { renderPlayerStyles } from '../../../../edge/watch/player/player-styles.ts'

const look = { accent: '#4f46e5', theme: 'auto', aspect: 16 / 9, placeholder: null } as const

describe('the styles of a page', () => {
	test('the styles of a player page are its colors and the aspect ratio of its video', () => {
		expect(renderPlayerStyles(look)).toBe(
			':root{color-scheme:light dark;--accent:#4f46e5;--on-accent:#ffffff;--panel:light-dark(#ffffff,#17161b);' +
				'--accent-control:light-dark(#4f46e5,#554ce6);--accent-text:light-dark(#4f46e5,#7871eb);' +
				'--rest:#000000;--loaded:#5a5a5a;--played:#a7a3f2;--aspect:1.7778}',
		)
	})

	test.each([
		['dark', 'color-scheme:dark;'],
		['light', 'color-scheme:light;'],
		['auto', 'color-scheme:light dark;'],
	] as const)('the styles of a player page follow the theme %s', (theme, expected) => {
		expect(renderPlayerStyles({ ...look, theme })).toContain(expected)
	})

	test('the styles of a player page contain the placeholder of the poster, if any', () => {
		// Five bytes without frequencies: one color.
		const placeholder = btoa(String.fromCharCode(0x20, 0x08, 0x02, 0x00, 0x00))
		expect(renderPlayerStyles({ ...look, placeholder })).toMatch(
			/\}\.poster\{background-image:url\(data:image\/png;base64,[A-Za-z0-9+/=]+\)\}$/,
		)
		expect(renderPlayerStyles(look)).not.toContain('poster')
	})
})
