import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'

type Options = {
	/** Rules of axe that don't apply to the page. */
	disabled?: readonly string[]
	/** Runs in each state, before axe. */
	check?: (colorScheme: 'light' | 'dark') => Promise<void>
}

let axe: Promise<string> | undefined

/** Checks the page as it is now with axe, in both themes and both directions. */
export async function accessibilityProblems(
	page: Page,
	{ disabled = [], check }: Options = {},
): Promise<string[]> {
	const found: string[] = []
	axe ??= readFile(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
	await page.evaluate(await axe)
	for (const colorScheme of ['light', 'dark'] as const)
		for (const dir of ['ltr', 'rtl']) {
			await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
			await page.evaluate(`document.documentElement.dir = '${dir}'`)
			await check?.(colorScheme)
			const rules = Object.fromEntries(disabled.map((rule) => [rule, { enabled: false }]))
			const violations = await page.evaluate<string[]>(`axe.run({
				rules: ${JSON.stringify({ ...rules, 'target-size': { enabled: true } })},
				resultTypes: ['violations'],
			}).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, any }) => id + ' ' + html + ' ' + any.map(({ message }) => message))))`)
			const width = page.viewportSize()?.width
			found.push(...violations.map((violation) => `${colorScheme} ${dir} ${width}: ${violation}`))
			const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
			if (isWide) found.push(`${colorScheme} ${dir} ${width}: scrolls sideways`)
		}
	await page.evaluate(`document.documentElement.dir = 'ltr'`)
	return found
}
