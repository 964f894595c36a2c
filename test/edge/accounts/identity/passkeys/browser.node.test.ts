/** @module-tag chromium */

import type { CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyEmail } from '#schema/contract/accounts/email-addresses.ts'
import { getMe, reauthenticate, signup } from '#schema/contract/accounts/identity.ts'
import {
	createPasskey,
	createPasskeyOptions,
	createSignInOptions,
	signInWithPasskey,
} from '#schema/contract/accounts/sign-in/passkeys.ts'
import type { NewPasskeyCredential, PasskeyAssertion } from '#schema/contract/accounts/sign-in/webauthn.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import { addAuthenticator, openSite, type Site, verificationCode } from './browser.node.ts'

let site: Site
let page: Page
let cdp: CDPSession

beforeAll(async () => {
	site = await openSite()
	page = await site.browser.newPage()
	await page.goto(`${site.origin}/v1/health`)
	cdp = await page.context().newCDPSession(page)
})
afterAll(() => site?.close())

const as = (token?: string) => createClient({ baseUrl: site.origin, fetch, ...(token && { token }) })

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
	const code = await verificationCode(site.mails, email)
	await as(data.token).call(verifyEmail, { body: { code } })
	return data.token
}

test('Chromium registers a passkey, signs in with it without a name, and proves the session with it', async () => {
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

	await page.goto(`${site.origin}/device`, { waitUntil: 'networkidle' })
	const button = page.getByRole('button', { name: 'Use a passkey' })
	await button.press('Enter')
	await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/^No passkey was used/)
	await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
	await button.press('Enter')
	await expect.poll(() => page.locator('h1').textContent()).toBe('Enter the code')
})
