import type { Player } from '../player.ts'

/** Gives a button its name and its tooltip, which also shows the key for the same, unless shortcuts are off. */
export function labelButton({ start }: Player['page'], button: HTMLElement, label: string, key = ''): void {
	button.setAttribute('aria-label', label)
	const hasKey = key !== '' && start.keys
	button.dataset.tip = hasKey ? `${label} (${key})` : label
	if (hasKey) button.setAttribute('aria-keyshortcuts', key)
}
