/** @module-tag chromium */

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getMe, signup } from '#schema/contract/accounts/identity.ts'
import { listPasskeys } from '#schema/contract/accounts/sign-in/passkeys.ts'
import { getSecondFactor } from '#schema/contract/accounts/sign-in/second-factor.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import { computeStep, computeTotpCode } from '../../../../edge/accounts/identity/second-factor/totp.ts'
import { accessibilityProblems } from '../../../support/node/accessibility.ts'
import { fromBase32 } from '../../../support/shared/formats/from-base32.ts'
import {
	addAuthenticator,
	openSite,
	type Site,
	verificationCode,
} from '../../accounts/identity/passkeys/browser.node.ts'

const email = 'lea@example.com'
const other = 'mia@example.com'
const password = 'correct horse battery'
/** Ends with a character that turns the direction of what follows it. */
const HOSTILE_NAME = '<img src=x onerror=alert(1)> \u202E'

let site: Site
/** The token of a session elsewhere. */
let elsewhere: string

beforeAll(async () => {
	site = await openSite()
	elsewhere = await signUp(email)
	await signUp(other)
})
afterAll(() => site?.close())

const as = (token?: string) => createClient({ baseUrl: site.origin, fetch, ...(token && { token }) })

const signUp = async (person: string) =>
	(await as().call(signup, { body: { email: person, password, name: 'Lea' } })).data.token

const untilTitle = (page: Page, title: string) =>
	expect.poll(() => page.locator('h1').textContent()).toBe(title)
const untilNotice = (page: Page, notice: string) =>
	expect.poll(() => page.getByRole('status').textContent()).toBe(notice)
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).press('Enter')

async function open() {
	const page = await site.browser.newPage({ reducedMotion: 'reduce', viewport: { width: 360, height: 740 } })
	const requests: { path: string; token: string | undefined }[] = []
	const errors: string[] = []
	page.on('request', (request) => {
		const path = new URL(request.url()).pathname
		const token = request.headers().authorization?.slice('Bearer '.length)
		if (path.startsWith('/v1/')) requests.push({ path, token })
	})
	page.on('pageerror', (error) => void errors.push(error.message))
	page.on('console', (line) => {
		// Chromium logs every error response, and these tests provoke some.
		if (line.type() === 'error' && !line.text().startsWith('Failed to load resource'))
			errors.push(line.text())
	})
	await addAuthenticator(await page.context().newCDPSession(page))
	await page.goto(`${site.origin}/security`, { waitUntil: 'networkidle' })
	return { page, requests, errors }
}

async function signIn(page: Page, person = email) {
	await page.locator('input[name=email]').fill(person)
	await page.locator('input[name=password]').fill(password)
	await page.locator('input[name=password]').press('Enter')
	await page.getByRole('heading', { name: 'Passkeys' }).waitFor()
}

test('a person manages passkeys, an authenticator app and sessions with the keyboard alone', async () => {
	const { page, requests, errors } = await open()
	expect(requests).toEqual([])
	await signIn(page)
	expect(await accessibilityProblems(page)).toEqual([])
	// Screen readers begin at the heading.
	expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')

	await press(page, /^Sign out node/)
	await untilNotice(page, 'node was signed out.')
	await expect(as(elsewhere).call(getMe, {})).rejects.toMatchObject({ status: 401 })

	await page.getByLabel('Name of a new passkey').fill(HOSTILE_NAME)
	await page.getByLabel('Name of a new passkey').press('Enter')
	await untilTitle(page, 'Verify your email address')
	// The page has requested another code by now, or was told that the first is still new.
	await page.locator('form[aria-busy=false]').waitFor()
	const isResent = (await page.locator('.message').textContent()) === ''
	await page.getByLabel('Six-digit code').fill(await verificationCode(site.mails, email, isResent ? 2 : 1))
	await page.getByLabel('Six-digit code').press('Enter')
	await untilNotice(page, 'Your email address is verified now.')
	// No script can read the token of the session.
	expect(requests.map(({ token }) => token).filter(Boolean)).toEqual([])
	expect(await page.evaluate('document.cookie')).toBe('__Host-signed-in=1')
	const cookies = await page.context().cookies()
	const token = cookies.find(({ name }) => name === '__Host-session')?.value

	await page.getByLabel('Name of a new passkey').fill(HOSTILE_NAME)
	await page.getByLabel('Name of a new passkey').press('Enter')
	await untilTitle(page, 'Keep your recovery codes')
	expect(await page.locator('.codes li').count()).toBe(10)
	expect(await accessibilityProblems(page)).toEqual([])
	await press(page, 'I have kept them')
	await untilNotice(page, 'The passkey was added.')
	expect(await page.locator('img[src=x]').count()).toBe(0)
	expect((await as(token).call(listPasskeys, {})).data.map(({ name }) => name)).toEqual([HOSTILE_NAME.trim()])

	await press(page, /^Rename /)
	await page.getByLabel('Name').fill('Laptop')
	await page.getByLabel('Name').press('Enter')
	await untilNotice(page, 'The passkey was renamed.')
	await page.getByText('Laptop', { exact: true }).waitFor()
	await page.getByLabel('Name of a new passkey').fill('Twice')
	await page.getByLabel('Name of a new passkey').press('Enter')
	await expect
		.poll(() => page.getByRole('alert').textContent())
		.toBe('This device already has a passkey of your account.')

	await press(page, 'Set up an app')
	await untilTitle(page, 'Set up an authenticator app')
	expect(await accessibilityProblems(page)).toEqual([])
	const secret = String(await page.locator('.secret').textContent()).replaceAll(' ', '')
	expect(await page.getByRole('link', { name: /Open the app/ }).getAttribute('href')).toContain(secret)
	const code = await computeTotpCode(fromBase32(secret), computeStep(Date.now()))
	await page.getByLabel('Six-digit code').fill(code)
	await page.getByLabel('Six-digit code').press('Enter')
	await untilNotice(page, 'The app is set up.')

	await press(page, 'Remove Laptop')
	await untilTitle(page, 'Remove this passkey?')
	await press(page, 'Back')
	await untilNotice(page, '')
	await press(page, 'Remove Laptop')
	await press(page, 'Remove the passkey')
	await untilNotice(page, 'The passkey was removed.')
	await press(page, 'Get new codes')
	await untilTitle(page, 'Get new recovery codes?')
	await press(page, 'Get new codes')
	await press(page, 'I have kept them')
	await untilNotice(page, 'You have new recovery codes.')
	expect((await as(token).call(getSecondFactor, {})).data).toMatchObject({ totp: true, passkeys: 0 })

	await press(page, 'Remove the app')
	await press(page, 'Remove the app')
	await untilNotice(page, 'The authenticator app was removed.')
	expect((await as(token).call(getSecondFactor, {})).data.since).toBe(null)
	// Another visit needs no sign-in.
	await page.reload({ waitUntil: 'networkidle' })
	await page.getByRole('heading', { name: 'Passkeys' }).waitFor()
	await page.route('**/v1/auth/logout', (route) => route.abort())
	await press(page, 'Sign out')
	await page.getByText('You are still signed in. The server could not be reached.').waitFor()
	await page.unroute('**/v1/auth/logout')
	await press(page, 'Sign out')
	await untilTitle(page, 'Signed out')
	expect(await page.evaluate('document.cookie')).toBe('')
	await expect
		.poll(() =>
			as(token)
				.call(getMe, {})
				.catch((error) => error.status),
		)
		.toBe(401)
	expect(errors).toEqual([])
	await page.close()
})

test('/security asks a person whose last proof is too old to sign in again', async () => {
	const { page, errors } = await open()
	await signIn(page, other)
	await page.route('**/registration-options', (route) =>
		route.fulfill({ status: 403, headers: { 'x-error-code': 'reauthentication_required' }, json: {} }),
	)
	await page.getByLabel('Name of a new passkey').fill('Laptop')
	await page.getByLabel('Name of a new passkey').press('Enter')
	await expect.poll(() => page.getByRole('alert').textContent()).toBe('Sign in again to confirm.')
	await signIn(page, other)
	expect(errors).toEqual([])
	await page.close()
})
