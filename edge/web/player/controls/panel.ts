import { createElement } from '../../parts/elements.ts'

type Options = {
	role: 'group' | 'menu'
	label: string
	content?: readonly HTMLElement[]
	onOpen?: () => void
}

/**
 * Returns a button with a panel that it opens and closes. Escape, a click elsewhere and the focus elsewhere close the
 * panel; arrow keys, Home and End move the focus within it.
 */
export function openPanel(
	button: HTMLButtonElement,
	{ role, label, content = [], onOpen = () => undefined }: Options,
) {
	const attributes = { role, 'aria-label': label }
	const panel = createElement('div', { class: 'panel', attributes, hidden: true }, content)
	const root = createElement('div', { class: 'with-panel' }, [button, panel])
	const show = (isOpen: boolean) => {
		panel.hidden = !isOpen
		button.setAttribute('aria-expanded', String(isOpen))
		if (isOpen) onOpen()
	}
	const close = () => {
		show(false)
		button.focus()
	}
	button.addEventListener('click', () => show(panel.hidden === true))
	root.addEventListener('keydown', (event) => {
		if (panel.hidden) return
		if (event.key === 'Escape') close()
		else if (!moveFocus(panel, event.key)) return
		event.preventDefault()
	})
	const closeOutside = (target: EventTarget | null) => {
		if (!root.contains(target as Node)) show(false)
	}
	document.addEventListener('pointerdown', ({ target }) => closeOutside(target))
	root.addEventListener('focusout', ({ relatedTarget }) => {
		if (relatedTarget) closeOutside(relatedTarget)
	})
	show(false)
	return { root, panel, close }
}

/** Moves the focus by a key, around the ends. Returns whether the key means that. */
function moveFocus(panel: HTMLElement, key: string): boolean {
	const items = [...panel.querySelectorAll('button')]
	const at = items.indexOf(document.activeElement as HTMLButtonElement)
	const next: Record<string, number> = {
		ArrowDown: at + 1,
		ArrowUp: Math.max(at, 0) - 1,
		Home: 0,
		End: -1,
	}
	const index = next[key]
	if (index === undefined) return false
	items.at(index % items.length)?.focus()
	return true
}
