import { createElement } from './elements.ts'

const CONFIRMATION_MS = 2_000

/** Makes a button copy a text, and confirm success. */
export function copyOnClick(button: HTMLButtonElement, readText: () => string, copied: string): void {
	const label = button.textContent
	button.addEventListener('click', async () => {
		if (!(await copyText(readText()))) return
		button.textContent = copied
		window.setTimeout(() => {
			button.textContent = label
		}, CONFIRMATION_MS)
	})
}

/** Returns whether the text was copied. A frame may not have the permission for the clipboard. */
export async function copyText(text: string): Promise<boolean> {
	try {
		await navigator.clipboard.writeText(text)
		return true
	} catch {
		return copySelected(text)
	}
}

/** Copies a text as if the viewer had selected it. */
function copySelected(text: string): boolean {
	const { activeElement } = document
	const field = createElement('textarea', { class: 'hidden-field', text })
	// A modal dialog makes everything outside it unselectable.
	const container = document.querySelector('dialog:modal') ?? document.body
	container.append(field)
	field.select()
	const isCopied = document.execCommand('copy')
	field.remove()
	if (activeElement instanceof HTMLElement) activeElement.focus()
	return isCopied
}
