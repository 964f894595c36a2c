import type { PlayerMessages } from '#schema/contract/watch/player-messages.ts'

type Choices = readonly { value: string; label: keyof PlayerMessages }[]

/** Caption settings of viewers. Each value is part of a class name in skin/captions.css; the first is the default. */
export const captionStyles = {
	size: [
		{ value: 'medium', label: 'medium' },
		{ value: 'small', label: 'small' },
		{ value: 'large', label: 'large' },
		{ value: 'huge', label: 'huge' },
	],
	color: [
		{ value: 'white', label: 'white' },
		{ value: 'yellow', label: 'yellow' },
		{ value: 'cyan', label: 'cyan' },
	],
	background: [
		{ value: 'translucent', label: 'translucent' },
		{ value: 'solid', label: 'solid' },
		{ value: 'transparent', label: 'transparent' },
	],
	edge: [
		{ value: 'none', label: 'none' },
		{ value: 'shadow', label: 'shadow' },
		{ value: 'outline', label: 'outline' },
	],
} as const satisfies Record<string, Choices>

export type CaptionStyleName = keyof typeof captionStyles
export const captionStyleNames = Object.keys(captionStyles) as CaptionStyleName[]

export const styleLabels: Record<CaptionStyleName, keyof PlayerMessages> = {
	size: 'captionSize',
	color: 'captionColor',
	background: 'captionBackground',
	edge: 'captionEdge',
}

/** Returns the index of a stored value, or of the default if it is unknown. */
export const findStyleIndex = (name: CaptionStyleName, stored: string | undefined): number =>
	Math.max(
		0,
		captionStyles[name].findIndex(({ value }) => value === stored),
	)
