/** @module-tag chromium */

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyEmail } from '#schema/contract/accounts/email-addresses.ts'
import { signup } from '#schema/contract/accounts/identity.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import { getDeletionStatus, requestAccountDeletion } from '#schema/contract/operations/account-deletion.ts'
import { provideAssets } from '../../../support/node/built-assets.ts'
import { openBrowser } from '../../../support/shared/chromium.ts'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'
import { readMail } from '../../platform/mail/read-mail.node.ts'
import { catchMails } from '../../platform/mail/smtp-catcher.node.ts'

const password = 'correct horse battery'

let mails: Awaited<ReturnType<typeof catchMails>>
let worker: RunningWorker
let browser: Browser

beforeAll(async () => {
	await provideAssets()
	mails = await catchMails()
	worker = await startWorker({
		vars: {
			SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
			MAIL_FROM: 'Playhouse <play@example.com>',
			FRONTEND_URL: 'https://play.example.com/',
		},
	})
	browser = await openBrowser()
})
afterAll(async () => {
	await browser?.close()
	await worker?.dispose()
	await mails?.[Symbol.asyncDispose]()
})

const as = (token?: string) => createClient({ baseUrl: worker.url, fetch, ...(token && { token }) })

/** Waits until the pattern matches in a mail to the address, and returns its first group. */
async function inMailTo(email: string, pattern: RegExp): Promise<string> {
	let found: string | undefined
	await expect
		.poll(() => {
			const texts = mails.caught
				.filter(({ to }) => to.includes(email))
				.map(({ raw }) => readMail(raw).parts.get('text/plain') ?? '')
			found = texts.map((text) => pattern.exec(text)?.[1]).findLast(Boolean)
			return found !== undefined
		})
		.toBe(true)
	return found as string
}

/** Creates a user with a scheduled deletion, and returns the link from their mail. */
async function createDepartingUser(email: string) {
	const { data } = await as().call(signup, { body: { email, password, name: 'Lea' } })
	const code = await inMailTo(email, /that this address is yours[\s\S]*?^ {4}(\d{6})$/m)
	await as(data.token).call(verifyEmail, { body: { code } })
	await as(data.token).call(requestAccountDeletion, { body: { confirm_email: email } })
	const link = await inMailTo(email, /(https:\/\/play\.example\.com\/cancel-deletion\?token=[\w-]{43})\n/)
	return {
		email,
		token: data.token,
		path: link.slice('https://play.example.com'.length),
		isLeaving: async () => (await as(data.token).call(getDeletionStatus, {})).has_pending_deletion,
	}
}

async function open(path: string): Promise<{ page: Page; requests: string[]; errors: string[] }> {
	const page = await browser.newPage()
	const requests: string[] = []
	const errors: string[] = []
	page.on('request', (request) => void requests.push(`${request.method()} ${request.url()}`))
	page.on('console', (line) => {
		// Chromium logs every error response, and some of these tests provoke them.
		if (line.type() === 'error' && !line.text().startsWith('Failed to load resource'))
			errors.push(line.text())
	})
	page.on('pageerror', (error) => void errors.push(error.message))
	await page.goto(worker.url + path, { waitUntil: 'networkidle' })
	return { page, requests, errors }
}

const posts = (requests: string[]) =>
	requests.filter((line) => line.startsWith('POST')).map((line) => new URL(line.slice(5)).pathname)

const keep = (page: Page) => page.getByRole('button', { name: 'Keep my account' })
const title = (page: Page) => page.locator('h1')

async function signIn(page: Page, email: string, secret = password) {
	if (await keep(page).isVisible()) await keep(page).click()
	await page.locator('input[name=email]').fill(email)
	await page.locator('input[name=password]').fill(secret)
	await page.getByRole('button', { name: 'Sign in' }).click()
}

test('opening the cancellation link changes nothing; a click and a sign-in keep the account', async () => {
	const lea = await createDepartingUser('lea@example.org')
	const { page, requests, errors } = await open(lea.path)
	expect(await title(page).textContent()).toBe('Keep your account?')
	// Nobody has checked the token yet.
	expect(await page.locator('.lead').textContent()).toBe(
		'Sign in as the person who received the email. Until then, nothing changes.',
	)
	expect(posts(requests)).toEqual([])
	expect(requests.filter((line) => !line.includes(worker.url))).toEqual([])
	// The token is in the URL of the page and in no other request.
	expect(requests.filter((line) => line.includes('token='))).toEqual([`GET ${worker.url}${lea.path}`])
	expect(await lea.isLeaving()).toBe(true)

	await keep(page).click()
	expect(posts(requests)).toEqual([])
	await signIn(page, lea.email)
	await expect.poll(() => title(page).textContent()).toMatch(/Your account stays/)
	expect(await lea.isLeaving()).toBe(false)
	await expect.poll(() => posts(requests)).toEqual(['/v1/auth/login', '/api/users/account/cancel-deletion/'])
	expect(errors).toEqual([])
	await page.close()
	await inMailTo(lea.email, /(Your account stays active)/)
})

test('the cancellation page accepts an emailed code instead of a password', async () => {
	const lea = await createDepartingUser('coder@example.org')
	const { page, errors } = await open(lea.path)
	await keep(page).click()
	await page.getByRole('radio', { name: 'Code' }).check()
	await page.locator('input[name=email]').fill(lea.email)
	await page.getByRole('button', { name: 'Send me a code' }).click()
	await page.locator('input[name=code]').fill(await inMailTo(lea.email, /to sign in[\s\S]*?^ {4}(\d{6})$/m))
	await page.getByRole('button', { name: 'Continue' }).click()
	await expect.poll(() => title(page).textContent()).toMatch(/Your account stays/)
	expect(await lea.isLeaving()).toBe(false)
	expect(errors).toEqual([])
	await page.close()
})

test('the cancellation page explains each failed sign-in and lets people try again', async () => {
	const lea = await createDepartingUser('trier@example.org')
	const other = await createDepartingUser('other@example.org')
	const { page, errors } = await open(lea.path)
	const problem = page.getByRole('alert')
	await signIn(page, lea.email, 'not this one')
	await expect.poll(() => problem.textContent()).toBe('The email address or password is wrong.')
	await signIn(page, other.email)
	await expect.poll(() => problem.textContent()).toMatch(/belongs to another account/)
	expect(await other.isLeaving()).toBe(true)
	expect(await lea.isLeaving()).toBe(true)
	await signIn(page, lea.email)
	await expect.poll(() => title(page).textContent()).toMatch(/Your account stays/)
	await page.close()

	// The same link is used again.
	const again = await open(lea.path)
	await signIn(again.page, lea.email)
	await expect.poll(() => title(again.page).textContent()).toMatch(/no longer works/)
	expect([...errors, ...again.errors]).toEqual([])
	await again.page.close()
})

test('the cancellation page reports an unreachable server and keeps the session for a retry', async () => {
	const lea = await createDepartingUser('offline@example.org')
	const { page } = await open(lea.path)
	// The sign-in succeeds, but the next request fails.
	await page.route('**/cancel-deletion/', (route) => route.abort())
	await signIn(page, lea.email)
	await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/could not be reached/)
	await page.unroute('**/cancel-deletion/')
	await page.getByRole('button', { name: 'Try again' }).click()
	await expect.poll(() => title(page).textContent()).toMatch(/Your account stays/)
	await page.close()
})

test.each(['', '?token=', `?token=${'x'.repeat(65)}`])(
	'the cancellation page reports an incomplete link without calling the API: %s',
	async (query) => {
		const { page, requests, errors } = await open(`/cancel-deletion${query}`)
		expect(await title(page).textContent()).toBe('This link is incomplete')
		expect(posts(requests)).toEqual([])
		expect(errors).toEqual([])
		await page.close()
	},
)

test('the cancellation page treats any token as text, never as markup', async () => {
	const { page, errors } = await open(
		`/cancel-deletion?token=${encodeURIComponent('<img src=x onerror=alert(1)>')}`,
	)
	expect(await page.locator('img[src=x]').count()).toBe(0)
	expect(errors).toEqual([])
	await page.close()
})

test('the cancellation page loads from and calls only its own server, and can’t be framed', async () => {
	const response = await fetch(`${worker.url}/cancel-deletion?token=x`)
	expect(response.status).toBe(200)
	const policy = response.headers.get('content-security-policy')
	expect(policy).toContain("default-src 'none'")
	expect(policy).toContain("frame-ancestors 'none'")
	expect(policy).not.toContain('unsafe')
	expect(response.headers.get('referrer-policy')).toBe('no-referrer')
	expect((await fetch(`${worker.url}/cancel-deletion`, { method: 'POST' })).status).toBe(405)
	expect((await fetch(`${worker.url}/cancel-deletion/index.html`)).status).toBe(404)
})
