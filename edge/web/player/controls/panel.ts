import { createElement } from '../../parts/elements.ts'

/** Returns a button with a panel that it opens and closes. Escape and a click elsewhere close the panel. */
export function openPanel(
	button: HTMLButtonElement,
	label: string,
	content: readonly HTMLElement[],
	onOpen: () => void = () => undefined,
): HTMLElement {
	const panel = createElement(
		'div',
		{ class: 'panel', attributes: { role: 'group', 'aria-label': label }, hidden: true },
		content,
	)
	const root = createElement('div', { class: 'with-panel' }, [button, panel])
	const show = (isOpen: boolean) => {
		panel.hidden = !isOpen
		button.setAttribute('aria-expanded', String(isOpen))
		if (isOpen) onOpen()
	}
	button.addEventListener('click', () => show(panel.hidden === true))
	root.addEventListener('keydown', (event) => {
		if (event.key !== 'Escape' || panel.hidden) return
		event.stopPropagation()
		show(false)
		button.focus()
	})
	document.addEventListener('pointerdown', ({ target }) => {
		if (!root.contains(target as Node)) show(false)
	})
	show(false)
	return root
}
