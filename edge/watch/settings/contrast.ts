import type { TextColor } from '#schema/contract/watch/settings/public-settings.ts'

const BLACK = '#000000'
const WHITE = '#ffffff'

/** Returns the relative luminance of a color such as #4f46e5: 0 for black, 1 for white (WCAG 2.2). */
export function computeLuminance(color: string): number {
	const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
		linear(Number.parseInt(color.slice(at, at + 2), 16)),
	)
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Undoes the gamma of sRGB. */
function linear(byte: number): number {
	const value = byte / 255
	return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}

/** Returns the contrast ratio of two colors, from 1 to 21 (WCAG 2.2). */
export function computeContrast(one: string, other: string): number {
	const [darker = 0, lighter = 0] = [computeLuminance(one), computeLuminance(other)].toSorted((a, b) => a - b)
	return (lighter + 0.05) / (darker + 0.05)
}

/** Returns the text color with the higher contrast. On the worst background, the ratio is 4.58. */
export const chooseTextColor = (background: string): TextColor =>
	computeContrast(WHITE, background) >= computeContrast(BLACK, background) ? WHITE : BLACK
