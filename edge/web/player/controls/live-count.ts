import { createElement, createIcon } from '../../parts/elements.ts'
import { fillPlaceholders } from '../../parts/fill.ts'
import { icons } from '../icons.ts'
import type { Player } from '../player.ts'

/** A count of one would only be the reader. */
const MIN_SHOWN = 2

/** Shows the number of current viewers. Screen readers can read it, but don't announce changes. */
export function createLiveCount(player: Player): HTMLElement {
	const { messages, language } = player.page
	const text = createElement('span', { class: 'live-text' })
	const short = createElement('span', { class: 'live-number' })
	const root = createElement('span', { class: 'live', hidden: true, attributes: { role: 'img' } }, [
		createIcon(icons.eye),
		text,
		short,
	])
	player.on('live', (count) => {
		root.hidden = count === null || count < MIN_SHOWN
		if (root.hidden) return
		const number = new Intl.NumberFormat(language).format(count ?? 0)
		short.textContent = number
		text.textContent = fillPlaceholders(messages.watching, { count: number })
		root.setAttribute('aria-label', text.textContent)
		root.title = text.textContent
	})
	return root
}
