/** @module-tag chromium */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { provideAssets } from '../../../support/node/built-assets.ts'
import { openBrowser } from '../../../support/shared/chromium.ts'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'
import { createReadyVideo } from './ready-video.node.ts'

const TITLE = `A title </script> with "quotes" and ${'Unbreakable'.repeat(12)}`
const DESCRIPTION = `First line\n\nhttps://example.org/${'path/'.repeat(60)}\n${'Many words. '.repeat(60)}End`

let worker: RunningWorker
let browser: Browser
let url: string

beforeAll(async () => {
	await provideAssets()
	worker = await startWorker()
	browser = await openBrowser()
	const { playbackId } = await createReadyVideo(worker, { title: TITLE, description: DESCRIPTION })
	url = `${worker.url}/watch/${playbackId}`
})
afterAll(async () => {
	await browser?.close()
	await worker?.dispose()
})

/** Opens the page and records what its policy blocks. */
async function open(width: number, colorScheme: 'light' | 'dark' = 'light') {
	const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme })
	await page.addInitScript(
		`window.blocked = []; document.addEventListener('securitypolicyviolation', (event) => window.blocked.push(event.violatedDirective))`,
	)
	await page.goto(url, { waitUntil: 'networkidle' })
	return page
}

test('the watch page blocks none of its own parts, and its structured data is complete', async () => {
	const page = await open(1280)
	expect(await page.evaluate('window.blocked')).toEqual([])
	const data = JSON.parse((await page.locator('script[type="application/ld+json"]').textContent()) ?? '')
	expect([data.name, data.description]).toEqual([TITLE, DESCRIPTION])
	expect(await page.title()).toBe(TITLE)
	await page.close()
})

test('the watch page keeps the line breaks of a description', async () => {
	const page = await open(1280)
	const description = page.locator('.description')
	expect(await description.textContent()).toBe(DESCRIPTION)
	const collapse = 'getComputedStyle(document.querySelector(".description")).whiteSpaceCollapse'
	expect(await page.evaluate(collapse)).toBe('preserve-breaks')
	await page.close()
})

test.each([320, 768, 1280])('the watch page fits %d px in both writing directions', async (width) => {
	const page = await open(width)
	for (const direction of ['ltr', 'rtl']) {
		await page.evaluate(`document.documentElement.dir = '${direction}'`)
		expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width)
		const [player, title, description] = await page.evaluate<DOMRectLike[]>(
			`[...document.querySelectorAll('#player, h1, .description-box')].map((element) => element.getBoundingClientRect().toJSON())`,
		)
		if (width < 1_024) expect(player?.width).toBe(width)
		else expect(player?.width).toBeLessThan(width * 0.7)
		expect(title?.top).toBeGreaterThan(player?.bottom ?? Infinity)
		for (const side of [title?.left ?? 0, width - (title?.right ?? width)]) expect(side).toBeGreaterThan(8)
		// The description fills the width of its column.
		expect(description?.left).toBe(title?.left)
	}
	await page.close()
})

type DOMRectLike = { left: number; right: number; top: number; bottom: number; width: number }
