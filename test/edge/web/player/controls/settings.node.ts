import type { Page } from 'playwright-core'

/** A page, or the frame of a player in it. */
type Within = Pick<Page, 'getByRole'>

/** Opens the settings, and one behind the other the menus of these names. */
export async function openSettings(within: Within, ...names: string[]): Promise<void> {
	const button = within.getByRole('button', { name: 'Settings' })
	// Opened again, they begin with the first menu.
	if ((await button.getAttribute('aria-expanded')) === 'true') await button.press('Escape')
	await button.click()
	for (const name of names) await within.getByRole('menuitem', { name: new RegExp(`^${name}\\b`) }).click()
}

export async function chooseSetting(within: Within, names: string[], label: string): Promise<void> {
	await openSettings(within, ...names)
	await within.getByRole('menuitemradio', { name: label, exact: true }).click()
}

export async function listChoices(within: Within, ...names: string[]): Promise<string[]> {
	await openSettings(within, ...names)
	return within.getByRole('menuitemradio').allTextContents()
}

export async function readChoice(within: Within, ...names: string[]): Promise<string | null> {
	await openSettings(within, ...names)
	return within.getByRole('menuitemradio', { checked: true }).textContent()
}
