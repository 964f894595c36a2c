import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems } from '../../../support/node/accessibility.ts'
import { provideAssets } from '../../../support/node/built-assets.ts'
import { chromiumPath, openBrowser } from '../../../support/shared/chromium.ts'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'
import { needs } from '../../../support/shared/needs.ts'
import { createReadyVideo } from '../../web/player/ready-video.node.ts'

/** The height of a screen, in pixels. */
const SCREEN = 900

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
	const page = await browser.newPage({ viewport: { width: 1_200, height: SCREEN } })
	// The machine may be busy.
	page.setDefaultTimeout(60_000)
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

type OpenApi = Record<'paths' | 'webhooks', Record<string, Record<string, { operationId: string }>>> & {
	tags: { name: string }[]
}

/** Returns the addresses of the pages of the reference: one for each tag. */
async function listReferencePages(page: Page): Promise<string[]> {
	return await page
		.locator('nav .menu > ul > li > a')
		.evaluateAll((all) => all.map((a) => a.getAttribute('href') ?? ''))
}

describe('/reference', needs({ Chromium: chromiumPath }), () => {
	test('/reference has every operation and webhook once, each on two screens at most, and sends no request to other hosts', async () => {
		const { page, requested, errors } = await open('/reference')
		const document = (await (await fetch(`${worker.url}/openapi.json`)).json()) as OpenApi
		const expected = [document.paths, document.webhooks]
			.flatMap((described) => Object.values(described))
			.flatMap((methods) => Object.values(methods))
			.map(({ operationId }) => operationId)
		expect(await page.locator('h1').textContent()).toBe('Playhouse API')
		const pages = await listReferencePages(page)
		expect(pages).toHaveLength(document.tags.length)
		const found: string[] = []
		const tall: string[] = []
		await page.setViewportSize({ width: 1_280, height: SCREEN })
		for (const path of pages) {
			await page.goto(worker.url + path, { waitUntil: 'networkidle' })
			const sections = await page
				.locator('.operation')
				.evaluateAll((all) => all.map((section) => [section.id, section.clientHeight] as const))
			found.push(...sections.map(([id]) => id))
			tall.push(...sections.filter(([, height]) => height > 2 * SCREEN).map(([id]) => id))
		}
		expect(found.toSorted()).toEqual(expected.toSorted())
		expect(tall).toEqual([])
		expect(externalUrls(requested)).toEqual([])
		expect(errors).toEqual([])
		await page.close()
	})

	test('/reference finds operations by keyboard', async () => {
		const { page, errors } = await open('/reference')
		await page.keyboard.press('/')
		await page.keyboard.type('playback token post')
		await page.locator('[role=search] li').first().waitFor()
		expect(await page.locator('[role=search] [role=status]').textContent()).toMatch(/^\d+ found$/)
		await page.keyboard.press('Enter')
		await page.waitForURL(`${worker.url}/reference/assets#createPlaybackToken`)
		await page.keyboard.press('/')
		await page.keyboard.type('nothing-has-this')
		await page.locator('[role=status]', { hasText: '0 found' }).waitFor()
		await page.keyboard.press('Escape')
		expect(await page.locator('[role=search] input').inputValue()).toBe('')
		expect(errors).toEqual([])
		await page.close()
	})

	test('/reference lets people sign up, enter their token and try a request', async () => {
		const { page, requested, errors } = await open('/reference/auth')
		const signup = page.locator('#signup .try')
		await signup.locator('summary').click()
		const [created] = await Promise.all([
			page.waitForResponse('**/v1/auth/signup'),
			signup.getByRole('button', { name: 'Send' }).click(),
		])
		expect(created.status()).toBe(201)
		const { data } = (await created.json()) as { data: { token: string } }

		await page.locator('.credential input').fill(data.token)
		await page.locator('#getMe .try summary').click()
		await page.locator('#getMe .try').getByRole('button', { name: 'Send' }).click()
		await page.locator('#getMe output', { hasText: 'mara.lindt@example.com' }).waitFor()

		await page.goto(`${worker.url}/reference/assets`)
		const asset = page.locator('#getAsset .try')
		await asset.locator('summary').click()
		await asset.getByLabel('assetId').fill('ast_01k9x3v7qzh4t8c2m6r0p3w7n5')
		await asset.getByRole('button', { name: 'Send' }).click()
		await asset.locator('output', { hasText: '404' }).waitFor()
		expect(externalUrls(requested)).toEqual([])
		expect(errors).toEqual([expect.stringContaining('404')])
		await page.close()
	})

	test('/reference shows the events of a stream as they arrive, until the user stops the stream', async () => {
		const { page, errors } = await open('/reference/events')
		const email = 'ines.pardo@example.com'
		const created = await fetch(`${worker.url}/v1/auth/signup`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ email, password: 'correct horse battery', name: 'Ines Pardo' }),
		})
		const { data } = (await created.json()) as { data: { token: string } }
		await page.locator('.credential input').fill(data.token)
		const stream = page.locator('#streamEvents .try')
		await stream.locator('summary').click()
		const stop = stream.getByRole('button', { name: 'Stop' })
		expect(await stop.isVisible()).toBe(false)
		await stream.getByRole('button', { name: 'Send' }).click()
		await stream.locator('output', { hasText: '"type":"ready"' }).waitFor()
		await stop.click()
		await stream.locator('output', { hasText: 'stopped' }).waitFor()
		expect(await stop.isVisible()).toBe(false)
		expect(errors).toEqual([])
		await page.close()
	})

	test.each([
		[320, 'light'],
		[320, 'dark'],
		[1280, 'light'],
		[1280, 'dark'],
	] as const)('/reference fits %i pixels and passes axe in %s', async (width, colorScheme) => {
		const { page } = await open('/reference/collections', async (opened) => {
			await opened.setViewportSize({ width, height: SCREEN })
			await opened.emulateMedia({ colorScheme })
		})
		await page.locator('.try summary').first().click()
		expect(await accessibilityProblems(page)).toEqual([])
		expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width)
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
