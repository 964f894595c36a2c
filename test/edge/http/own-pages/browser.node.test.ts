import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getMe, login, signup } from '#schema/contract/accounts/identity.ts'
import { createAsset, deleteAsset, listAssets, updateAsset } from '#schema/contract/video/assets.ts'
import { provideAssets } from '../../../support/node/built-assets.ts'
import { chromiumPath, openBrowser } from '../../../support/shared/chromium.ts'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'
import { needs } from '../../../support/shared/needs.ts'

const account = { email: 'ada@example.org', password: 'correct horse battery', name: 'Ada' }

/** What a hostile page does to the API at `api`. Each way is a script that ends when the request was answered. */
const attacks = {
	'a fetch without CORS': (api: string) => `
		fetch('${api}/v1/auth/me', { mode: 'no-cors', credentials: 'include' }).then(() => 0, () => 0)`,
	'a fetch with CORS': (api: string) => `
		fetch('${api}/v1/auth/me', { credentials: 'include' }).then(() => 0, () => 0)`,
	'a POST without CORS': (api: string) => `
		fetch('${api}/v1/assets', {
			method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"title":"Hostile"}'
		}).then(() => 0, () => 0)`,
	'writes with the header of pages': (api: string) => `
		Promise.all(['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => fetch('${api}/v1/assets/1', {
			method, credentials: 'include', headers: { 'x-playhouse-page': '1' }
		}).catch(() => 0)))`,
	'a beacon': (api: string) => `
		navigator.sendBeacon('${api}/v1/assets', new Blob(['{"title":"Hostile"}'], { type: 'text/plain' }))`,
	'an image': (api: string) => `
		new Promise((done) => {
			const image = new Image()
			image.onload = image.onerror = () => done()
			image.src = '${api}/v1/auth/me'
		})`,
	'a frame': (api: string) => `
		new Promise((done) => {
			const frame = document.createElement('iframe')
			frame.onload = () => done()
			frame.src = '${api}/v1/auth/me'
			document.body.append(frame)
		})`,
	'a form in a frame': (api: string) => `
		new Promise((done) => {
			document.body.innerHTML = '<iframe name="target"></iframe><form method="post" target="target"></form>'
			document.querySelector('iframe').onload = () => done()
			const form = document.querySelector('form')
			form.action = '${api}/v1/assets'
			form.enctype = 'text/plain'
			form.innerHTML = '<input name=\\'{"title":"\\' value=\\'Hostile"}\\'>'
			form.submit()
		})`,
}

describe('the session cookie in Chromium', needs({ Chromium: chromiumPath }), () => {
	let worker: RunningWorker
	let browser: Browser
	let context: BrowserContext
	let page: Page
	let site: Server
	let port = 0

	beforeAll(async () => {
		await provideAssets()
		worker = await startWorker()
		site = createServer((_, response) =>
			response.setHeader('content-type', 'text/html').end('<!doctype html><title>site</title><body>'),
		).listen(0, '127.0.0.1')
		await once(site, 'listening')
		port = (site.address() as AddressInfo).port
		browser = await openBrowser('--host-resolver-rules=MAP hostile.test 127.0.0.1')
		context = await browser.newContext()
		page = await context.newPage()
		const body = JSON.stringify(account)
		const headers = { 'content-type': 'application/json' }
		await fetch(worker.url + signup.path, { method: 'POST', headers, body })
		await page.goto(ownPage())
		const { email, password } = account
		expect(await callFromPage(login.path, 'POST', { email, password })).toBe(200)
	})
	afterAll(async () => {
		await browser?.close()
		site?.close()
		await worker?.dispose()
	})

	/** A page of the installation that sends no requests of its own. */
	const ownPage = () => `${worker.url}/cancel-deletion?token=none`

	/** Calls the API from a page of the installation, which the browser lets send the cookie. */
	const callFromPage = (path: string, method: string, body?: object) =>
		page.evaluate(
			async ([path, method, body]) => {
				const headers = { 'x-playhouse-page': '1', ...(body && { 'content-type': 'application/json' }) }
				const sent = { method, headers, body: body ? JSON.stringify(body) : null }
				return (await fetch(path, sent)).status
			},
			[path, method, body] as const,
		)

	const readAssets = async () =>
		(
			await page.evaluate<{ data: { id: string }[] }>(
				`fetch('${listAssets.path}').then((response) => response.json())`,
			)
		).data

	/** The operations and statuses that the Worker has logged. */
	const answered = () =>
		worker.logs.flatMap((line) => {
			const [, operation, status] = /"operation":"(\w+)","status":(\d+)/.exec(line) ?? []
			return operation && operation !== 'healthLive' ? [`${operation} ${status}`] : []
		})

	test('a page of the installation reads and writes with every method by its cookie', async () => {
		await page.goto(ownPage())
		expect(await callFromPage(getMe.path, 'GET')).toBe(200)
		expect(await callFromPage(createAsset.path, 'POST', { title: 'Mine' })).toBe(201)
		const [film] = await readAssets()
		const path = updateAsset.path.replace('{assetId}', film?.id ?? '')
		expect(await callFromPage(path, 'PATCH', { title: 'Still mine' })).toBe(200)
		expect(await callFromPage(path, 'DELETE')).toBe(200)
		expect(deleteAsset.path).toBe(updateAsset.path)
	})

	for (const [name, origin] of [
		['another port of the same host', () => `http://127.0.0.1:${port}`],
		['another site', () => `http://hostile.test:${port}`],
	] as const)
		test.each(Object.entries(attacks))(`${name} reads and changes nothing by %s`, async (_, attack) => {
			await page.goto(origin())
			worker.logs.splice(0)
			await page.evaluate(attack(worker.url))
			// Sent last, so that the lines of the attack are there.
			await page.evaluate(`fetch('${worker.url}/health/live', { mode: 'no-cors' }).then(() => 0)`)
			await expect.poll(() => worker.logs.join()).toMatch(/"operation":"(getMe|createAsset)"|OPTIONS/)
			expect(answered().filter((line) => / 2/.test(line))).toEqual([])
			await page.goto(ownPage())
			expect(await readAssets()).toEqual([])
		})

	test('a link of another site opens an operation of the API as a stranger', async () => {
		for (const origin of [`http://127.0.0.1:${port}`, `http://hostile.test:${port}`]) {
			await page.goto(origin)
			await page.evaluate(`location.href = '${worker.url}/v1/auth/me'`)
			await page.waitForURL(`${worker.url}/v1/auth/me`)
			expect(await page.textContent('body')).toContain('no credential was sent')
		}
		const response = await page.goto(`${worker.url}/v1/auth/me`)
		expect(response?.status()).toBe(401)
	})
})
