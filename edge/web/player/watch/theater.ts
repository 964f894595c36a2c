import { createElement, createIcon } from '../../parts/elements.ts'
import { labelButton } from '../controls/label.ts'
import { icons } from '../icons.ts'
import type { Player } from '../player.ts'

/** The button that makes the player as wide as the window. */
export function createTheaterButton({ page, preferences }: Player): HTMLElement {
	const { messages } = page
	const { classList } = document.documentElement
	const button = createElement(
		'button',
		{
			class: 'button is-optional',
			type: 'button',
			on: {
				click: () => {
					preferences.change({ theater: classList.toggle('is-theater') })
					show()
				},
			},
		},
		[createIcon(icons.theater)],
	)
	const show = () => {
		const isWide = classList.contains('is-theater')
		labelButton(page, button, isWide ? messages.leaveTheater : messages.theater)
		button.setAttribute('aria-pressed', String(isWide))
	}
	classList.toggle('is-theater', preferences.read().theater ?? false)
	show()
	return button
}
