import type { Theme } from '#schema/contract/watch/settings/branding.ts'
import { backgrounds, chooseAccentColors, timeLine } from './colors.ts'
import { renderPlaceholderImage } from './placeholder-image.ts'

const schemes: Record<Theme, string> = { dark: 'dark', light: 'light', auto: 'light dark' }

type Look = {
	accent: string
	theme: Theme
	aspect: number
	/** The thumbhash of the poster in base64, or null. */
	placeholder: string | null
}

/** Renders the styles of one page: its colors and aspect ratio. All values are validated. */
export function renderPlayerStyles({ accent, theme, aspect, placeholder }: Look): string {
	const { onAccent, control, played, text } = chooseAccentColors(accent)
	return [
		':root{',
		`color-scheme:${schemes[theme]};`,
		`--accent:${accent};`,
		`--on-accent:${onAccent};`,
		`--panel:light-dark(${backgrounds.light},${backgrounds.dark});`,
		`--accent-control:light-dark(${control.light},${control.dark});`,
		`--accent-text:light-dark(${text.light},${text.dark});`,
		`--rest:${timeLine.rest};`,
		`--loaded:${timeLine.loaded};`,
		`--played:${played};`,
		`--aspect:${aspect.toFixed(4)}`,
		'}',
		placeholder === null ? '' : `.poster{background-image:url(${renderPlaceholderImage(placeholder)})}`,
	].join('')
}
