import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { verifyEmail } from '#schema/contract/accounts/email-addresses.ts'
import { login, signup } from '#schema/contract/accounts/identity.ts'
import { inviteMember, listInvitations, listMembers } from '#schema/contract/accounts/org-members.ts'
import { beginTotp, confirmTotp } from '#schema/contract/accounts/sign-in/second-factor.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import { computeStep, computeTotpCode } from '../../../../edge/accounts/identity/second-factor/totp.ts'
import { provideAssets } from '../../../support/node/built-assets.ts'
import { chromiumPath, openBrowser } from '../../../support/shared/chromium.ts'
import { fromBase32 } from '../../../support/shared/formats/from-base32.ts'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'
import { needs } from '../../../support/shared/needs.ts'

const PASSWORD = 'correct horse battery'

let worker: RunningWorker
let owner: { token: string; orgId: string }
const orgName = 'Ada’s organization'

const client = (token?: string) =>
	createClient<AbortSignal>({ baseUrl: worker.url, fetch, ...(token !== undefined && { token }) })

async function signUp(name: string, { verified = true } = {}) {
	const body = { email: `${name.toLowerCase()}@example.org`, password: PASSWORD, name }
	const before = worker.logs.length
	const { data } = await client().call(signup, { body })
	const account = { email: body.email, token: data.token, orgId: data.org.id }
	if (verified)
		await client(data.token).call(verifyEmail, { body: { code: await codeIn(body.email, before) } })
	return account
}

beforeAll(async () => {
	await provideAssets()
	// Other domains can join only by invitation.
	worker = await startWorker({ vars: { REGISTRATION_ALLOWED_DOMAINS: 'example.org' } })
	owner = await signUp('Ada')
})
afterAll(() => worker?.dispose())

/** Returns the last mail to an address; in development, mails are printed. */
async function mailTo(email: string, after = 0): Promise<string> {
	const found = () =>
		worker.logs.slice(after).findLast((line) => line.includes(`\nTo:      ${email}\n`)) ?? ''
	return vi.waitFor(() => found() || Promise.reject(new Error(`no mail came to ${email}`)), {
		timeout: 60_000,
	})
}

const codeIn = async (email: string, after: number) =>
	/^ +(\d{6})$/m.exec(await mailTo(email, after))?.[1] ?? ''

async function invite(email: string): Promise<string> {
	const before = worker.logs.length
	await client(owner.token).call(inviteMember, { params: { orgId: owner.orgId }, body: { email } })
	const link = /http:\S+\/join#token=\S+/.exec(await mailTo(email, before))?.[0]
	const { pathname, hash } = new URL(link ?? '')
	return worker.url + pathname + hash
}

const params = () => ({ params: { orgId: owner.orgId } })
const memberEmails = async () =>
	(await client(owner.token).call(listMembers, { ...params(), query: {} })).data.map(({ email }) => email)
const statusOfInvitation = async (email: string) =>
	(await client(owner.token).call(listInvitations, { ...params(), query: {} })).data.find(
		(invitation) => invitation.email === email,
	)?.status

test('/join is served in production without third-party content or caching', async () => {
	await using production = await startWorker({ vars: { ENVIRONMENT: 'production' } })
	const response = await fetch(`${production.url}/join?token=abc`)
	expect(response.status).toBe(200)
	expect(Object.fromEntries(response.headers)).toMatchObject({
		'content-type': expect.stringContaining('text/html'),
		'cache-control': 'no-store',
		'referrer-policy': 'no-referrer',
		'content-security-policy': expect.stringMatching(
			/^default-src 'none'; script-src 'self'; style-src 'self'; .*frame-ancestors 'none'; report-uri \/v1\/reports; report-to default$/,
		),
	})
	const html = await response.text()
	for (const [, path] of html.matchAll(/(?:src|href)="([^"]+\.[^"]+)"/g))
		expect([path, (await fetch(production.url + path)).status]).toEqual([path, 200])
	for (const path of ['/shared/sign-in.js', '/shared/api.js', '/shared/dom.js'])
		expect((await fetch(production.url + path)).headers.get('content-type')).toContain('javascript')
	expect((await fetch(`${production.url}/join`, { method: 'POST' })).status).toBe(405)
	expect((await fetch(`${production.url}/join/index.html`)).status).toBe(404)
})

describe('invitation page', needs({ Chromium: chromiumPath }), () => {
	let browser: Browser
	let context: BrowserContext
	let page: Page
	let requests: { method: string; url: string }[]
	let errors: string[]

	beforeAll(async () => {
		browser = await openBrowser()
	})
	afterAll(() => browser?.close())
	beforeEach(async () => {
		context = await browser.newContext({ reducedMotion: 'reduce' })
		page = await context.newPage()
		requests = []
		errors = []
		context.on('request', (request) => void requests.push({ method: request.method(), url: request.url() }))
		page.on('console', (line) => void (line.type() === 'error' && errors.push(line.text())))
		page.on('pageerror', (error) => void errors.push(error.message))
	})
	afterEach(async () => {
		await context.close()
		expect(requests.filter(({ url }) => !url.startsWith(`${worker.url}/`))).toEqual([])
		// Chromium logs every error response.
		expect(errors.filter((line) => !line.startsWith('Failed to load resource'))).toEqual([])
	})

	const field = (label: string) => page.locator('.field').getByLabel(label, { exact: true })
	const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
	const choose = (way: string) => page.getByText(way, { exact: true }).click()
	const message = () => page.getByRole('alert')
	const joined = () =>
		page.getByText(`You are now a member of “${orgName}”. You can close this page.`).waitFor()
	const heading = () => page.getByRole('heading', { level: 1 })

	async function signIn(email: string, password = PASSWORD) {
		await choose('Password')
		await field('Email address').fill(email)
		await field('Password').fill(password)
		await press('Sign in')
	}

	async function requestCode(email: string): Promise<string> {
		const before = worker.logs.length
		await choose('Code')
		await field('Email address').fill(email)
		await press('Send me a code')
		await field('Six-digit code').waitFor()
		return codeIn(email, before)
	}

	test('/join asks for the second factor of an account that has one, and accepts a recovery code', async () => {
		const { email, token } = await signUp('Twice')
		const link = await invite(email)
		const { secret } = (await client(token).call(beginTotp, {})).data
		const code = await computeTotpCode(fromBase32(secret), computeStep(Date.now()))
		const { recoveryCodes } = (await client(token).call(confirmTotp, { body: { code } })).data
		await page.goto(link)
		await signIn(email)
		await field('Second factor').fill('wrong')
		await press('Continue')
		await expect.poll(() => message().textContent()).toContain('The code is wrong')
		await field('Second factor').fill(recoveryCodes?.[0] ?? '')
		await press('Continue')
		await page.getByText('Signed in as Twice').waitFor()
		await press('Join')
		await joined()
		expect(await memberEmails()).toContain(email)
	})

	test('opening /join changes nothing, and the token disappears from the address bar', async () => {
		const link = await invite('reader@example.org')
		await page.goto(link, { waitUntil: 'networkidle' })
		expect(await heading().textContent()).toBe('You have been invited')
		expect(requests.every(({ method }) => method === 'GET')).toBe(true)
		expect(requests.some(({ url }) => url.includes('/v1/'))).toBe(false)
		expect(page.url()).toBe(`${worker.url}/join`)
		expect(await statusOfInvitation('reader@example.org')).toBe('open')
		// A phone that dropped the page while its owner read mail loads it again.
		await page.reload()
		expect(await heading().textContent()).toBe('You have been invited')
		expect(errors).toEqual([])
	})

	test('/join lets a new user sign up and join with the keyboard alone', async () => {
		await page.goto(await invite('bob@guest.example'))
		await field('Your name').waitFor()
		const { keyboard } = page
		for (const key of ['Tab', 'Tab', 'Tab']) await keyboard.press(key)
		await keyboard.type('Bob')
		await keyboard.press('Tab')
		await keyboard.type('bob@guest.example')
		await keyboard.press('Tab')
		await keyboard.type(PASSWORD)
		await keyboard.press('Enter')
		await joined()
		expect(await page.evaluate('document.activeElement === document.querySelector("h1")')).toBe(true)
		expect(await memberEmails()).toContain('bob@guest.example')
		expect(
			(await client().call(login, { body: { email: 'bob@guest.example', password: PASSWORD } })).data.user
				.name,
		).toBe('Bob')
		expect(errors).toEqual([])
		expect(
			await page.evaluate('[history.state, localStorage.length, sessionStorage.length, document.cookie]'),
		).toEqual([null, 0, 0, '__Host-signed-in=1'])
	})

	test('/join makes an existing user a member only after a click on Join', async () => {
		const carol = await signUp('Carol')
		await page.goto(await invite(carol.email))
		await signIn(carol.email)
		await page.getByText('Signed in as Carol').waitFor()
		expect(await memberEmails()).not.toContain(carol.email)
		await press('Join')
		await joined()
		expect(await memberEmails()).toContain(carol.email)
		expect(errors).toEqual([])
	})

	test('/join asks a user with an unverified address for a code before they join', async () => {
		const before = worker.logs.length
		const nora = await signUp('Nora', { verified: false })
		const code = await codeIn(nora.email, before)
		await page.goto(await invite(nora.email))
		await signIn(nora.email)
		await press('Join')
		await message().getByText('you may already have a code').waitFor()
		await field('Six-digit code').fill(code === '000000' ? '000001' : '000000')
		await press('Continue')
		await message().getByText('The code sent to this address is wrong').waitFor()
		expect(await memberEmails()).not.toContain(nora.email)
		await field('Six-digit code').fill(code)
		await press('Continue')
		await page.getByText('Signed in as Nora').waitFor()
		await press('Join')
		await joined()
		expect(await memberEmails()).toContain(nora.email)
	})

	test('/join accepts an emailed code instead of a password', async () => {
		const dan = await signUp('Dan')
		await page.goto(await invite(dan.email))
		const code = await requestCode(dan.email)
		await field('Six-digit code').fill(code === '000000' ? '000001' : '000000')
		await press('Continue')
		await message().getByText('The code is wrong').waitFor()
		expect(await page.evaluate('document.activeElement.name')).toBe('code')
		await field('Six-digit code').fill(` ${code.slice(0, 3)} ${code.slice(3)} `)
		await press('Continue')
		await page.getByText('Signed in as Dan').waitFor()
		await press('Join')
		await joined()
		expect(await memberEmails()).toContain(dan.email)
	})

	test('/join asks a new user who signs in with a code for a name', async () => {
		await page.goto(await invite('eve@guest.example'))
		await field('Your name').waitFor()
		const code = await requestCode('eve@guest.example')
		await field('Six-digit code').fill(code)
		await press('Continue')
		await field('Your name').fill('Eve')
		await press('Create account and join')
		await joined()
		expect(await memberEmails()).toContain('eve@guest.example')
	})

	test('/join states when another code can be requested', async () => {
		await page.goto(await invite('frank@guest.example'))
		await requestCode('frank@guest.example')
		await press('Request another code')
		await press('Send me a code')
		await message()
			.getByText(/another one in \d+ seconds?\.$/)
			.waitFor()
	})

	test('/join reports a used or foreign invitation link, and lets another person sign in', async () => {
		const [grace, heidi] = [await signUp('Grace'), await signUp('Heidi')]
		const link = await invite(grace.email)
		await page.goto(link)
		await signIn(heidi.email)
		await press('Join')
		await message().getByText('sent to another address').waitFor()
		expect(await statusOfInvitation(grace.email)).toBe('open')
		expect(await page.getByRole('button').allTextContents()).toEqual(['Sign in as someone else'])

		await press('Sign in as someone else')
		await signIn(grace.email)
		await press('Join')
		await joined()
		expect(await memberEmails()).not.toContain(heidi.email)

		// Grace is still signed in.
		await page.goto(link)
		await press('Join')
		await message().getByText('was already used').waitFor()
	})

	test('/join creates no account with a used link or one for another address', async () => {
		await page.goto(await invite('ivan@example.org'))
		await field('Your name').fill('Judy')
		await field('Email address').fill('judy@example.org')
		await field('Choose a password').fill(PASSWORD)
		await press('Create account and join')
		await message().getByText('No account was created').waitFor()
		await field('Email address').fill('judy@guest.example')
		await press('Create account and join')
		await message().getByText('Only invited people').waitFor()
		expect(await statusOfInvitation('ivan@example.org')).toBe('open')
	})

	test('/join switches to the password form when the address already has an account', async () => {
		const karl = await signUp('Karl')
		await page.goto(await invite(karl.email))
		await field('Your name').fill('Karl')
		await field('Email address').fill(karl.email)
		await field('Choose a password').fill(PASSWORD)
		await press('Create account and join')
		await message().getByText('There is already an account with this address').waitFor()
		await field('Password').fill('wrong password')
		await press('Sign in')
		await message().getByText('The email address or password is wrong.').waitFor()
		await field('Password').fill(PASSWORD)
		await press('Sign in')
		await page.getByText(karl.email).waitFor()
	})

	test('/join lets people retry after the connection fails', async () => {
		const lena = await signUp('Lena')
		await page.goto(await invite(lena.email))
		await signIn(lena.email)
		await page.getByText('Signed in as Lena').waitFor()
		await context.setOffline(true)
		await press('Join')
		await message().getByText('The server could not be reached').waitFor()
		await context.setOffline(false)
		await press('Join')
		await joined()
	})

	test('/join gets the lost response of a sign-up on retry instead of a conflict', async () => {
		await page.goto(await invite('mia@guest.example'))
		await field('Your name').fill('Mia')
		await field('Email address').fill('mia@guest.example')
		await field('Choose a password').fill(PASSWORD)
		await page.route(
			'**/v1/auth/signup',
			async (route) => {
				await route.fetch()
				await route.abort()
			},
			{ times: 1 },
		)
		await press('Create account and join')
		await message().getByText('The server could not be reached').waitFor()
		await press('Create account and join')
		await joined()
	})

	test.each(['/join', '/join#token=', '/join#token=no%20token'])(
		'/join reports %s as an incomplete link',
		async (path) => {
			await page.goto(worker.url + path)
			expect(await heading().textContent()).toBe('This link is incomplete')
		},
	)
})
