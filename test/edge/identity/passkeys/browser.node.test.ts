/** @module-tag chromium */

import type { Browser, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '#schema/contract/kit/client.ts'
import {
	createPasskey,
	createPasskeyOptions,
	createSignInOptions,
	signInWithPasskey,
} from '#schema/contract/platform/accounts/passkeys.ts'
import type { NewPasskeyCredential, PasskeyAssertion } from '#schema/contract/platform/accounts/webauthn.ts'
import { verifyEmail } from '#schema/contract/platform/email-addresses.ts'
import { getMe, reauthenticate, signup } from '#schema/contract/platform/identity.ts'
import { provideAssets } from '../../../support/node/built-assets.ts'
import { openBrowser } from '../../../support/shared/chromium.ts'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'
import { catchMails } from '../../platform/mail/smtp-catcher.node.ts'
import { addAuthenticator, verificationCode } from './browser.node.ts'

let mails: Awaited<ReturnType<typeof catchMails>>
let worker: RunningWorker
let browser: Browser
let page: Page
let cdp: CDPSession

beforeAll(async () => {
	await provideAssets()
	mails = await catchMails()
	worker = await startWorker({
		vars: { SMTP_URL: `smtp://127.0.0.1:${mails.port}`, MAIL_FROM: 'Playhouse <play@example.com>' },
	})
	browser = await openBrowser()
	page = await browser.newPage()
	// Browsers accept no IP address as a relying party.
	await page.goto(`${originOfPages()}/v1/health`)
	cdp = await page.context().newCDPSession(page)
})
afterAll(async () => {
	await browser?.close()
	await worker?.dispose()
	await mails?.[Symbol.asyncDispose]()
})

const originOfPages = () => worker.url.replace('127.0.0.1', 'localhost').replace(/\/$/, '')
const as = (token?: string) => createClient({ baseUrl: originOfPages(), fetch, ...(token && { token }) })

const create = (options: object): Promise<NewPasskeyCredential> =>
	page.evaluate(`navigator.credentials
		.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(${JSON.stringify(options)}) })
		.then((credential) => credential.toJSON())`)
const get = (options: object): Promise<PasskeyAssertion> =>
	page.evaluate(`navigator.credentials
		.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)}) })
		.then((credential) => credential.toJSON())`)

const signInOptions = async () => (await as().call(createSignInOptions, {})).data.publicKey

async function verifiedPerson(email: string): Promise<string> {
	const { data } = await as().call(signup, {
		body: { email, password: 'correct horse battery', name: 'Lea' },
	})
	const code = await verificationCode(mails, email)
	await as(data.token).call(verifyEmail, { body: { code } })
	return data.token
}

test('Chromium registers a passkey, signs in with it without a name, also on pages, and proves the session with it', async () => {
	const token = await verifiedPerson('lea@example.com')
	const authenticatorId = await addAuthenticator(cdp)
	const { publicKey } = (await as(token).call(createPasskeyOptions, {})).data
	const credential = await create(publicKey)
	const registered = await as(token).call(createPasskey, { body: { name: 'Chromium', credential } })
	expect(registered.data.recoveryCodes).toHaveLength(10)

	const passkey = await get(await signInOptions())
	const signedIn = (await as().call(signInWithPasskey, { body: { passkey } })).data
	expect((await as(signedIn.token).call(getMe, {})).data.user.email).toBe('lea@example.com')
	await expect(as().call(signInWithPasskey, { body: { passkey } })).rejects.toMatchObject({ status: 401 })

	const again = await get(await signInOptions())
	await as(signedIn.token).call(reauthenticate, { body: { passkey: again } })

	// The authenticator of somebody who can’t unlock it.
	await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
	await expect(get(await signInOptions())).rejects.toThrow('NotAllowedError')

	await page.goto(`${originOfPages()}/device`, { waitUntil: 'networkidle' })
	const button = page.getByRole('button', { name: 'Use a passkey' })
	await button.press('Enter')
	const patiently = { timeout: 30_000 }
	await expect.poll(() => page.getByRole('alert').textContent(), patiently).toMatch(/^No passkey was used/)
	await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
	await button.press('Enter')
	await expect.poll(() => page.locator('h1').textContent(), patiently).toBe('Enter the code')
})
