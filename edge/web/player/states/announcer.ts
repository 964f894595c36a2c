import { createElement, createIcon } from '../../parts/elements.ts'
import type { Player } from '../player.ts'

const TEXT_MS = 900
/** The time to read a whole sentence: viewers read about 17 characters a second. */
const CHARACTER_MS = 60
const ICON_MS = 500

/** Shows a change briefly over the video, and announces it to screen readers. */
export function createAnnouncer(player: Player): HTMLElement {
	const root = createElement('div', { class: 'announcer', attributes: { role: 'status' } })
	let timer: number | undefined
	player.on('announce', ({ text, icon }) => {
		window.clearTimeout(timer)
		// Screen readers ignore an unchanged text.
		root.replaceChildren(...(icon ? [createIcon(icon)] : []), createElement('span', { text }))
		root.classList.toggle('is-icon', icon !== undefined)
		root.classList.add('is-visible')
		timer = window.setTimeout(
			() => root.classList.remove('is-visible'),
			icon ? ICON_MS : Math.max(TEXT_MS, text.length * CHARACTER_MS),
		)
	})
	return root
}
