import type { WatchPage } from '#schema/contract/watch/player-page.ts'
import { createElement } from '../../parts/elements.ts'

/** Folds a long description to its first lines, with a button that shows the rest. */
export function foldDescription({ messages }: WatchPage): void {
	const box = document.querySelector<HTMLElement>('.description-box')
	const text = box?.querySelector<HTMLElement>('.description')
	if (!box || !text) return
	box.classList.add('is-folded')
	if (text.scrollHeight <= text.clientHeight + 1) {
		box.classList.remove('is-folded')
		return
	}
	const button = createElement('button', {
		class: 'fold',
		type: 'button',
		text: messages.showMore,
		attributes: { 'aria-expanded': 'false' },
		on: {
			click: () => {
				const isFolded = box.classList.toggle('is-folded')
				button.setAttribute('aria-expanded', String(!isFolded))
				button.textContent = isFolded ? messages.showMore : messages.showLess
			},
		},
	})
	box.append(button)
	// A link that gets the keyboard focus must be visible.
	text.addEventListener('focusin', () => {
		if (box.classList.contains('is-folded')) button.click()
	})
}
