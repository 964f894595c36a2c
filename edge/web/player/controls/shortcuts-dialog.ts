import { createElement } from '../../parts/elements.ts'
import type { Player } from '../player.ts'

/** `keys` are separated by spaces. `0 … 9` means all keys from 0 to 9. */
type Shortcut = { keys: string; label: string }

const listShortcuts = ({ page: { messages } }: Player): Shortcut[] => [
	{ keys: 'K Space', label: messages.shortcutPlay },
	{ keys: '← →', label: messages.shortcutSeek },
	{ keys: 'J L', label: messages.shortcutSeekLong },
	{ keys: '↑ ↓', label: messages.shortcutVolume },
	{ keys: 'M', label: messages.shortcutMute },
	{ keys: 'F', label: messages.shortcutFullscreen },
	{ keys: 'C', label: messages.shortcutCaptions },
	{ keys: 'P I', label: messages.shortcutPictureInPicture },
	{ keys: '0 … 9', label: messages.shortcutJump },
	{ keys: 'Home End', label: messages.shortcutEnds },
	{ keys: '< >', label: messages.shortcutSpeed },
	{ keys: ', .', label: messages.shortcutFrame },
	{ keys: '?', label: messages.shortcutHelp },
]

/** Returns a function that shows the list of shortcuts. */
export function createShortcutsDialog(root: HTMLElement, player: Player): () => void {
	const { messages } = player.page
	const rows = listShortcuts(player).map(({ keys, label }) =>
		createElement('div', { class: 'shortcut' }, [
			createElement('dt', { text: label }),
			createElement(
				'dd',
				{ attributes: { dir: 'ltr' } },
				keys.split(' ').map((key) => (key === '…' ? ' … ' : createElement('kbd', { text: key }))),
			),
		]),
	)
	const close = createElement('button', {
		class: 'text-button',
		type: 'button',
		text: messages.close,
		on: { click: () => dialog.close() },
	})
	const attributes = { 'aria-label': messages.shortcuts, tabindex: '-1' }
	const dialog = createElement('dialog', { class: 'dialog', attributes }, [
		createElement('h2', { text: messages.shortcuts }),
		createElement('dl', {}, rows),
		close,
	])
	root.append(dialog)
	return () => {
		if (dialog.open) return
		dialog.showModal()
		// Otherwise the last button would be focused, and a long list would start at its end.
		dialog.focus()
		dialog.scrollTop = 0
	}
}
