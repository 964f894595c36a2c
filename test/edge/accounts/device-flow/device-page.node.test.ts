/** @module-tag chromium */

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listApiKeys } from '#schema/contract/accounts/api-keys.ts'
import { DEVICE_GRANT, pollDeviceToken, startDeviceRequest } from '#schema/contract/accounts/device-flow.ts'
import { signup } from '#schema/contract/accounts/identity.ts'
import { listSessions } from '#schema/contract/accounts/sessions.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import { provideAssets } from '../../../support/node/built-assets.ts'
import { openBrowser } from '../../../support/shared/chromium.ts'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'

const password = 'correct horse battery'
const email = 'lea@example.org'
/** Ends with a character that turns the direction of what follows it. */
const HOSTILE_NAME = '<img src=x onerror=alert(1)> \u202E'

/** A script that returns the text in the focused field, or the tag and name of another focused element. */
const FOCUSED =
	"(({ tagName, id, value, textContent }) => (tagName === 'INPUT' ? value : tagName + ' ' + (id || textContent)))(document.activeElement)"

let worker: RunningWorker
let browser: Browser
let token: string
let orgId: string

beforeAll(async () => {
	await provideAssets()
	worker = await startWorker({})
	browser = await openBrowser()
	const { data } = await as().call(signup, { body: { email, password, name: 'Lea' } })
	token = data.token
	orgId = data.org?.id ?? ''
})
afterAll(async () => {
	await browser?.close()
	await worker?.dispose()
})

const as = (session?: string) =>
	createClient({ baseUrl: worker.url, fetch, ...(session && { token: session }) })

const title = (page: Page) => page.locator('h1')
const poll = (device_code: string) =>
	as().call(pollDeviceToken, { body: { grant_type: DEVICE_GRANT, device_code, client_id: 'cli' } })
const startDevice = (device_name: string) =>
	as().call(startDeviceRequest, { body: { client_id: 'cli', device_name, scope: 'read write' } })

async function open(path: string) {
	const context = await browser.newContext({ reducedMotion: 'reduce' })
	const page = await context.newPage()
	const errors: string[] = []
	const posts: string[] = []
	page.on('request', (request) => {
		if (request.method() === 'POST') posts.push(new URL(request.url()).pathname)
	})
	page.on('pageerror', (error) => void errors.push(error.message))
	page.on('console', (line) => {
		// Chromium logs every error response, and one of these tests provokes one.
		if (line.type() === 'error' && !line.text().startsWith('Failed to load resource'))
			errors.push(line.text())
	})
	await page.goto(worker.url + path, { waitUntil: 'networkidle' })
	return { page, errors, posts }
}

async function signIn(page: Page) {
	await page.locator('input[name=email]').fill(email)
	await page.locator('input[name=password]').fill(password)
	await page.getByRole('button', { name: 'Sign in' }).click()
	await expect.poll(() => title(page).textContent()).toBe('Enter the code')
}

test('a person connects a device with the keyboard alone, and sees what it requests', async () => {
	const device = await startDevice(HOSTILE_NAME)
	const { pathname, hash } = new URL(device.verification_uri_complete)
	const { page, errors, posts } = await open(pathname + hash)
	expect(posts).toEqual([])
	expect(page.url()).not.toContain(device.user_code)
	expect(await page.getByText(/Only go on if you started this yourself/).isVisible()).toBe(true)
	await signIn(page)
	expect(await page.getByLabel('Code on your device').inputValue()).toBe(device.user_code)

	await page.getByLabel('Code on your device').press('Enter')
	await expect.poll(() => title(page).textContent()).toBe('Connect this device?')
	// Screen readers begin at the heading.
	expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')
	const facts = await page.locator('dl').textContent()
	for (const fact of [HOSTILE_NAME.trim(), 'cli', email]) expect(facts).toContain(fact)
	expect(facts).not.toMatch(/own network|another network/)
	expect(await page.locator('img[src=x]').count()).toBe(0)
	expect(await page.getByText(/Only go on if you started this yourself/).isVisible()).toBe(true)

	const reached: string[] = []
	for (let i = 0; i < 5; i++) {
		await page.keyboard.press('Tab')
		reached.push(await page.evaluate<string>(FOCUSED))
	}
	expect(reached).toEqual(['SELECT field-org', 'read', 'write', 'BUTTON Connect', 'BUTTON Refuse'])
	await page.getByLabel(/Upload, change and delete/).press('Space')
	await page.getByRole('button', { name: 'Connect' }).press('Enter')
	await expect.poll(() => title(page).textContent()).toBe('Connected')

	const given = await poll(device.device_code)
	expect([given.scope, given.org_id]).toEqual(['read', orgId])
	const [key] = (await as(token).call(listApiKeys, { params: { orgId }, query: {} })).data
	expect([key?.name, key?.scopes]).toEqual([HOSTILE_NAME.trim(), ['read']])
	// The browser stays signed in, and the page offers another account.
	await page.reload({ waitUntil: 'networkidle' })
	expect(await page.getByText(`You are signed in as ${email}.`).isVisible()).toBe(true)
	await page.getByRole('button', { name: 'Sign in as someone else' }).click()
	await page.locator('input[name=email]').waitFor()
	expect((await as(token).call(listSessions, {})).data.length).toBe(1)
	expect(errors).toEqual([])
	await page.context().close()
})

test('a person enters the device code by hand, corrects it, and refuses the request', async () => {
	const device = await startDevice('laptop')
	const { page, errors } = await open('/device')
	// The layout follows the direction of the document.
	await page.evaluate("document.documentElement.dir = 'rtl'")
	await signIn(page)
	await page.getByLabel('Code on your device').fill('bbbb bbbb')
	await page.getByRole('button', { name: 'Continue' }).click()
	await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/wrong, was used, or has expired/)
	await page.getByLabel('Code on your device').fill(device.user_code.toLowerCase())
	await page.getByRole('button', { name: 'Continue' }).click()
	await expect.poll(() => title(page).textContent()).toBe('Connect this device?')
	expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
	// The organization needs a recent proof for API keys, and the person took too long.
	await page.route('**/device-approvals', (route) =>
		route.fulfill({ status: 403, headers: { 'x-error-code': 'reauthentication_required' }, json: {} }),
	)
	await page.getByRole('button', { name: 'Connect' }).click()
	await expect.poll(() => page.getByRole('alert').textContent()).toBe('Sign in again to confirm.')
	await signIn(page)
	await page.getByLabel('Code on your device').fill(device.user_code)
	await page.getByRole('button', { name: 'Continue' }).click()
	await page.getByRole('button', { name: 'Refuse' }).click()
	await expect.poll(() => title(page).textContent()).toBe('Refused')
	await expect(poll(device.device_code)).rejects.toMatchObject({ status: 400, code: 'access_denied' })
	expect(errors).toEqual([])
	await page.context().close()
})

test('no other page can frame the device page or forge its requests', async () => {
	const response = await fetch(`${worker.url}/device`)
	expect(response.status).toBe(200)
	const policy = response.headers.get('content-security-policy')
	for (const part of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'none'"])
		expect(policy).toContain(part)
	expect(policy).not.toContain('unsafe')
	expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin')
	// A cookie is no credential, so a request of another page has none.
	const { user_code: userCode } = await startDevice('laptop')
	const forged = await fetch(`${worker.url}/v1/orgs/${orgId}/device-approvals`, {
		method: 'POST',
		headers: { cookie: `token=${token}; session=${token}`, 'content-type': 'text/plain' },
		body: JSON.stringify({ userCode, scopes: ['read'] }),
	})
	expect(forged.status).toBe(401)
})
