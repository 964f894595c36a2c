import { chooseTextColor, computeContrast } from '../settings/contrast.ts'

/** WCAG 2.2: text, and controls such as the time line. */
const TEXT_CONTRAST = 4.5
const CONTROL_CONTRAST = 3
const STEPS = 64

/** The backgrounds of panels in both themes. They are opaque, so that the contrast doesn't depend on the video. */
export const backgrounds = { light: '#ffffff', dark: '#17161b' }

/**
 * The colors of the time line, which are the same in every theme. They are opaque, and the contrast of each to the next
 * is at least CONTROL_CONTRAST. The darker the rest, the less the played part must be lightened.
 */
export const timeLine = { rest: '#000000', loaded: '#5a5a5a' }

export type AccentColors = {
	accent: string
	/** For text on the accent. */
	onAccent: string
	/** The accent for controls on a panel, and for text on a page. */
	control: { light: string; dark: string }
	/** The accent for the played part of the time line. */
	played: string
	text: { light: string; dark: string }
}

/** Derives colors from an accent so that text and controls remain readable with any accent. */
export function chooseAccentColors(accent: string): AccentColors {
	const inBothThemes = (ratio: number) => ({
		light: readableOn(backgrounds.light, accent, ratio),
		dark: readableOn(backgrounds.dark, accent, ratio),
	})
	return {
		accent,
		onAccent: chooseTextColor(accent),
		control: inBothThemes(CONTROL_CONTRAST),
		// Measured from the rest, because a dark accent also has a contrast to the loaded part.
		played: readableOn(
			timeLine.rest,
			accent,
			CONTROL_CONTRAST * computeContrast(timeLine.loaded, timeLine.rest),
		),
		text: inBothThemes(TEXT_CONTRAST),
	}
}

/** Returns the color nearest to `color`, towards black or white, with the required contrast to the background. */
function readableOn(background: string, color: string, ratio: number): string {
	const goal = chooseTextColor(background)
	for (let step = 0; step < STEPS; step++) {
		const mixed = mix(color, goal, step / STEPS)
		if (computeContrast(mixed, background) >= ratio) return mixed
	}
	return goal
}

const mix = (from: string, to: string, share: number): string =>
	`#${[1, 3, 5]
		.map((at) => {
			const [start, end] = [from, to].map((color) => Number.parseInt(color.slice(at, at + 2), 16))
			const value = Math.round((start ?? 0) * (1 - share) + (end ?? 0) * share)
			return value.toString(16).padStart(2, '0')
		})
		.join('')}`
