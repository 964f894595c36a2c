import { element } from '../../parts/elements.ts'
import type { Player } from '../player.ts'
import { shortcutsOf } from './keyboard.ts'

/** Returns a function that shows the list of shortcuts. */
export function shortcutsDialog(root: HTMLElement, player: Player): () => void {
	const { messages } = player.page
	const rows = shortcutsOf(player).map(({ keys, label }) =>
		element('div', { class: 'shortcut' }, [
			element('dt', { text: label }),
			element('dd', { text: keys, attributes: { dir: 'ltr' } }),
		]),
	)
	const close = element('button', {
		class: 'text-button',
		type: 'button',
		text: messages.close,
		on: { click: () => dialog.close() },
	})
	const dialog = element('dialog', { class: 'dialog', attributes: { 'aria-label': messages.shortcuts } }, [
		element('h2', { text: messages.shortcuts }),
		element('dl', {}, rows),
		close,
	])
	root.append(dialog)
	return () => {
		if (!dialog.open) dialog.showModal()
	}
}
