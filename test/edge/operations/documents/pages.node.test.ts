import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems } from '../../../support/node/accessibility.ts'
import { provideAssets } from '../../../support/node/built-assets.ts'
import { chromiumPath, openBrowser } from '../../../support/shared/chromium.ts'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'
import { needs } from '../../../support/shared/needs.ts'
import { createReadyVideo } from '../../web/player/ready-video.node.ts'

/** The height of the window, in pixels. Large, as the reference draws only what is on the screen. */
const HEIGHT = 4_000

let worker: RunningWorker
let browser: Browser

beforeAll(async () => {
	await provideAssets()
	worker = await startWorker()
	if (chromiumPath) browser = await openBrowser()
})
afterAll(async () => {
	await browser?.close()
	await worker?.dispose()
})

/** Opens a page and records the URLs that it requests and the errors that it reports. */
async function open(
	path: string,
	prepare?: (page: Page) => Promise<unknown>,
): Promise<{ page: Page; requested: string[]; errors: string[] }> {
	const page = await browser.newPage({ viewport: { width: 1_200, height: HEIGHT } })
	// The reference takes ten seconds of CPU time, and the machine may be busy.
	page.setDefaultTimeout(120_000)
	const requested: string[] = []
	const errors: string[] = []
	page.on('request', (request) => void requested.push(request.url()))
	page.on('console', (line) => void (line.type() === 'error' && errors.push(line.text())))
	page.on('pageerror', (error) => void errors.push(error.message))
	await prepare?.(page)
	await page.goto(worker.url + path, { waitUntil: 'networkidle' })
	return { page, requested, errors }
}

const externalUrls = (requested: string[]) =>
	requested.filter((url) => !url.startsWith(worker.url) && !/^(data|blob):/.test(url))

/** Scrolls from top to bottom and returns all operations, since the reference draws only those on the screen. */
async function operationsOn(page: Page): Promise<Set<string>> {
	const seen = new Set<string>()
	for (let [at, end] = [0, 1]; at < end; at += HEIGHT / 2) {
		// The script is a string because this file is type-checked for Node, not for browsers.
		end = await page.evaluate<number>(
			`scrollTo(0, ${at}); new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(document.documentElement.scrollHeight))))`,
		)
		for (const id of await page.locator('.opblock').evaluateAll((all) => all.map(({ id }) => id)))
			seen.add(id)
	}
	return seen
}

type OpenApi = {
	paths: Record<string, Record<string, { tags?: string[] }>>
	components: Record<string, Record<string, unknown>>
}

/** Shows the operations with a tag, as the browser takes seconds to draw the whole document, and again for each click. */
const showOnly = (tag: string) => (page: Page) =>
	page.route('**/openapi.json', async (route) => {
		const response = await route.fetch()
		const document = (await response.json()) as OpenApi
		const tagged = Object.entries(document.paths).filter(([, methods]) =>
			Object.values(methods).some(({ tags }) => tags?.includes(tag)),
		)
		const paths = Object.fromEntries(tagged)
		const { securitySchemes } = document.components
		const components = { ...componentsOf(document, paths), securitySchemes }
		await route.fulfill({ response, json: { ...document, paths, components, webhooks: {} } })
	})

/** Returns the components that a part of a document refers to, directly or not. */
function componentsOf({ components }: OpenApi, part: unknown): OpenApi['components'] {
	const found: OpenApi['components'] = {}
	const add = (from: unknown) => {
		for (const [, kind = '', name = ''] of JSON.stringify(from).matchAll(
			/"#\/components\/(\w+)\/([^"]+)"/g,
		)) {
			found[kind] ??= {}
			if (name in found[kind]) continue
			found[kind][name] = components[kind]?.[name]
			add(found[kind][name])
		}
	}
	add(part)
	return found
}

describe('/reference', needs({ Chromium: chromiumPath }), () => {
	test('/reference shows every operation and webhook, and sends no request to other hosts', async () => {
		const { page, requested, errors } = await open('/reference')
		const { paths, webhooks } = (await (await fetch(`${worker.url}/openapi.json`)).json()) as {
			paths: Record<string, object>
			webhooks: Record<string, object>
		}
		const expected = [paths, webhooks]
			.flatMap(Object.values)
			.flatMap((methods) => Object.keys(methods)).length
		await page.locator('.opblock').first().waitFor()
		expect((await operationsOn(page)).size).toBe(expected)
		expect(externalUrls(requested)).toEqual([])
		expect(errors).toEqual([])
		await page.close()
	})

	test('/reference lets people sign up, authorize and try a request', async () => {
		const { page, requested, errors } = await open('/reference', showOnly('Auth'))
		const signup = page.locator('.opblock', { has: page.locator('[data-path="/v1/auth/signup"]') })
		await signup.locator('.opblock-summary-control').click()
		await signup
			.locator('textarea.body-param__text')
			.fill(
				JSON.stringify({ email: 'reader@example.org', password: 'correct horse battery', name: 'Reader' }),
			)
		const [created] = await Promise.all([
			page.waitForResponse('**/v1/auth/signup'),
			signup.locator('button.execute').click(),
		])
		expect(created.status()).toBe(201)
		const { data } = (await created.json()) as { data: { token: string } }

		await page.locator('.auth-wrapper > button.authorize').click()
		const dialog = page.locator('.dialog-ux .auth-container', { hasText: 'sessionToken' })
		await dialog.locator('input').fill(data.token)
		await dialog.locator('button.authorize').click()
		await page.locator('.dialog-ux .close-modal').click()

		const me = page.locator('.opblock-get', { has: page.locator('[data-path="/v1/auth/me"]') })
		await me.locator('.opblock-summary-control').click()
		const [answered] = await Promise.all([
			page.waitForResponse('**/v1/auth/me'),
			me.locator('button.execute').click(),
		])
		expect(answered.status()).toBe(200)
		await me.locator('.live-responses-table', { hasText: 'reader@example.org' }).waitFor()
		expect(externalUrls(requested)).toEqual([])
		expect(errors).toEqual([])
		await page.close()
	})
})

describe('an unknown address', needs({ Chromium: chromiumPath }), () => {
	test.each([320, 1280])(
		'the page for an unknown address fits %i pixels, passes axe, and leads home by keyboard',
		async (width) => {
			const { page, requested, errors } = await open('/nosuch', (opened) =>
				opened.setViewportSize({ width, height: 700 }),
			)
			expect(await page.title()).toBe('Page not found – Playhouse')
			expect(await accessibilityProblems(page)).toEqual([])
			// The status itself is the only thing that the browser reports.
			expect(errors).toEqual([expect.stringContaining('404')])
			expect(externalUrls(requested)).toEqual([])
			await page.keyboard.press('Tab')
			await page.keyboard.press('Tab')
			await page.keyboard.press('Enter')
			await page.waitForURL(`${worker.url}/`)
			await page.close()
		},
	)
})

describe('/', needs({ Chromium: chromiumPath }), () => {
	test('the landing page links to existing pages and sends no request to other hosts', async () => {
		const { page, requested, errors } = await open('/')
		expect(await page.locator('h1').textContent()).toBe('Playhouse')
		const links = await page
			.locator('nav a')
			.evaluateAll((all) => all.map((a) => a.getAttribute('href') ?? ''))
		expect(links).toContain('/reference')
		for (const link of links) expect([link, (await fetch(worker.url + link)).status]).toEqual([link, 200])
		expect(externalUrls(requested)).toEqual([])
		expect(errors).toEqual([])
		await page.close()
	})

	test.each([320, 1280])(
		'fits %i pixels and passes axe, and its first-run state leads to the reference',
		async (width) => {
			const { page } = await open('/', (opened) => opened.setViewportSize({ width, height: 800 }))
			expect(await accessibilityProblems(page)).toEqual([])
			expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width)
			await page.keyboard.press('Tab')
			expect(await page.evaluate<string>('document.activeElement.textContent')).toBe(
				'Upload with the API reference',
			)
			await page.close()
		},
	)

	test('shows videos as cards that fit, pass axe, follow the direction of their title and open by keyboard', async () => {
		await using other = await startWorker()
		const { playbackId } = await createReadyVideo(other, { title: 'ميناء في الليل' })
		await createReadyVideo(other, { title: `A ${'very '.repeat(30)}long title` })
		for (const width of [320, 1280]) {
			const page = await browser.newPage({ viewport: { width, height: 800 }, reducedMotion: 'reduce' })
			await page.goto(other.url, { waitUntil: 'networkidle' })
			expect(await accessibilityProblems(page)).toEqual([])
			expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width)
			const last = page.locator('.videos a').last()
			expect(await last.getAttribute('href')).toBe(`${other.url}/watch/${playbackId}`)
			const style = (selector: string, property: string) =>
				page.evaluate<string>(
					`getComputedStyle([...document.querySelectorAll('${selector}')].at(-1)).${property}`,
				)
			expect(await style('.title', 'direction')).toBe('rtl')
			expect(await style('.poster img', 'transitionDuration')).toBe('0s')
			await page.keyboard.press('Tab')
			await page.keyboard.press('Tab')
			await page.keyboard.press('Enter')
			await page.waitForURL(`${other.url}/watch/${playbackId}`)
			await page.close()
		}
	})

	test('the landing page has no link to the reference in production', async () => {
		await using production = await startWorker({ vars: { ENVIRONMENT: 'production' } })
		const text = await (await fetch(production.url)).text()
		expect(text).toContain('/openapi.json')
		expect(text).not.toContain('/reference')
		expect((await fetch(`${production.url}/reference`)).status).toBe(404)
		expect((await fetch(`${production.url}/landing/landing.css`)).status).toBe(200)
	})

	test.each(['/landing/nothing.css', '/landing/index.html', '/reference/nothing.js', '/.gitignore'])(
		'%s answers 404 with the error format of the API',
		async (path) => {
			const response = await fetch(worker.url + path)
			expect([response.status, await response.json()]).toEqual([404, { error: 'not found' }])
		},
	)
})
