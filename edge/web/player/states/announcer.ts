import { createElement } from '../../parts/elements.ts'
import type { Player } from '../player.ts'

const VISIBLE_MS = 900

/** Shows a change briefly over the video, and announces it to screen readers. */
export function createAnnouncer(player: Player): HTMLElement {
	const root = createElement('div', { class: 'announcer', attributes: { role: 'status' } })
	let timer: number | undefined
	player.on('announce', (text) => {
		window.clearTimeout(timer)
		// Screen readers ignore an unchanged text.
		root.replaceChildren(createElement('span', { text }))
		root.classList.add('is-visible')
		timer = window.setTimeout(() => root.classList.remove('is-visible'), VISIBLE_MS)
	})
	return root
}
