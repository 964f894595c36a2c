import { beforeEach, describe, expect, test } from 'vitest'
import {
	changePassword,
	getMe,
	login,
	reauthenticate,
	sendCode,
	switchOrg,
	verifyCode,
} from '#schema/contract/accounts/identity.ts'
import { logout } from '#schema/contract/accounts/sessions.ts'
import { getSecondFactor } from '#schema/contract/accounts/sign-in/second-factor.ts'
import { lockUser } from '#schema/contract/operations/admin/users.ts'
import { codeSentTo } from '../../../../support/edge/mailbox.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { type App, completeWith, requestTicket, setUpApp, signInWithApp } from './authenticator-app.ts'

const MINUTE = 60_000
let world: World
let root: Person
let ada: Person
let app: App
let recoveryCodes: string[]
beforeEach(async () => {
	world = await openWorld()
	root = await world.person()
	ada = await world.person()
	const made = await setUpApp(world, ada)
	app = made.app
	recoveryCodes = made.recoveryCodes ?? []
})

const wrong = async () => String((Number(await app.code()) + 1) % 1_000_000).padStart(6, '0')
async function byMail(): Promise<{ status: number; ticket: string }> {
	await world.ask(sendCode, { body: { email: ada.email } })
	const code = codeSentTo(world, ada.email)
	const answer = await world.ask(verifyCode, { body: { email: ada.email, code } })
	return { status: answer.status, ticket: answer.headers.get('x-second-factor-ticket') ?? '' }
}

describe('a sign-in to an account with a second factor', () => {
	test('a sign-in with a second factor needs a code of the app after the password', async () => {
		const first = await world.ask(login, { body: { email: ada.email, password: ada.password } })
		expect([first.status, first.code]).toEqual([401, 'second_factor_required'])
		expect(first.text).not.toContain('token"')
		const ticket = first.headers.get('x-second-factor-ticket') ?? ''
		const { token } = (await completeWith(world, { ticket, totp: await app.nextCode() })).ok.data
		expect((await world.ask(getMe, {}, { token })).ok.data.user.hasSecondFactor).toBe(true)
	})

	test('a sign-in with a second factor needs a code of the app after a mailed code, too', async () => {
		const { status, ticket } = await byMail()
		expect(status).toBe(401)
		expect((await completeWith(world, { ticket, totp: await app.nextCode() })).status).toBe(200)
	})

	test('a sign-in with a second factor gets no ticket for a wrong password', async () => {
		const answer = await world.ask(login, { body: { email: ada.email, password: 'wrong' } })
		expect([answer.code, answer.headers.get('x-second-factor-ticket')]).toEqual(['unauthorized', null])
	})

	test('a sign-in accepts each code of the app once, and no code older than a used one', async () => {
		const [old, used] = [await app.nextCode(), await app.nextCode()]
		for (const [code, status] of [
			[used, 200],
			[used, 401],
			[old, 401],
		] as const)
			expect(
				(await completeWith(world, { ticket: await requestTicket(world, ada), totp: code })).status,
			).toBe(status)
	})

	test('a sign-in accepts a code of the app 30 seconds too late or too early, but not a minute', async () => {
		const at = async (ms: number) => {
			world.pass(ms)
			const totp = await app.code()
			world.pass(-ms)
			return (await completeWith(world, { ticket: await requestTicket(world, ada), totp })).status
		}
		world.pass(2 * MINUTE)
		expect([await at(-MINUTE), await at(-MINUTE / 2), await at(MINUTE / 2), await at(MINUTE)]).toEqual([
			401, 200, 200, 401,
		])
	})

	test('a sign-in accepts a code of the app once, even if two requests send it at the same time', async () => {
		const ticket = await requestTicket(world, ada)
		const totp = await app.nextCode()
		const answers = await Promise.all([1, 2, 3].map(() => completeWith(world, { ticket, totp })))
		expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401])
	})

	test('a sign-in accepts each recovery code once', async () => {
		const [recoveryCode = ''] = recoveryCodes
		const signIn = async () => completeWith(world, { ticket: await requestTicket(world, ada), recoveryCode })
		const { token } = (await signIn()).ok.data
		expect((await signIn()).status).toBe(401)
		expect((await world.ask(getSecondFactor, {}, { token })).ok.data.recoveryCodesLeft).toBe(9)
	})

	test('a sign-in does not accept the recovery code of somebody else', async () => {
		const bob = await world.person()
		const { recoveryCodes: his } = await setUpApp(world, bob)
		const ticket = await requestTicket(world, ada)
		expect((await completeWith(world, { ticket, recoveryCode: his?.[0] ?? '' })).status).toBe(401)
	})

	test('a sign-in with a second factor allows five wrong codes, then only recovery codes', async () => {
		const ticket = await requestTicket(world, ada)
		for (let i = 0; i < 5; i++)
			expect((await completeWith(world, { ticket, totp: await wrong() })).status).toBe(401)
		expect((await completeWith(world, { ticket, totp: await app.nextCode() })).status).toBe(429)
		expect((await completeWith(world, { ticket, recoveryCode: recoveryCodes[0] ?? '' })).status).toBe(200)
	})

	test('a sign-in allows 30 wrong codes of the app a day, however slowly they come and whoever signs in', async () => {
		for (let i = 0; i < 6; i++) {
			world.pass(10 * MINUTE)
			await signInWithApp(world, ada, app)
			const ticket = await requestTicket(world, ada)
			for (let n = 0; n < 5; n++)
				expect((await completeWith(world, { ticket, totp: await wrong() })).status).toBe(401)
		}
		world.pass(10 * MINUTE)
		expect(
			(await completeWith(world, { ticket: await requestTicket(world, ada), totp: await app.code() })).status,
		).toBe(429)
	})
})

describe('known devices and open sessions', () => {
	const prove = (totp: string) => world.ask(reauthenticate, { body: { totp } }, ada)
	async function knownDevice() {
		const ticket = await requestTicket(world, ada)
		const { headers } = await completeWith(world, { ticket, totp: await app.nextCode() })
		return { headers: { 'x-device-token': headers.get('x-device-token') ?? '' } }
	}
	/** Enters 30 wrong codes, as fast as is allowed. */
	async function useUpDay(
		enter: (totp: string, ticket: string) => Promise<{ status: number }>,
		status: number,
	) {
		for (let i = 0; i < 6; i++) {
			world.pass(10 * MINUTE)
			const ticket = await requestTicket(world, ada)
			for (let n = 0; n < 5; n++) expect((await enter(await wrong(), ticket)).status).toBe(status)
		}
		world.pass(10 * MINUTE)
	}

	test('wrong codes of somebody who has the password don’t lock out known devices and open sessions', async () => {
		const device = await knownDevice()
		await useUpDay((totp, ticket) => completeWith(world, { ticket, totp }), 401)
		const ticket = await requestTicket(world, ada)
		expect((await completeWith(world, { ticket, totp: await app.nextCode() })).status).toBe(429)
		expect((await completeWith(world, { ticket, totp: await app.nextCode() }, device)).status).toBe(200)
		expect((await prove(await app.nextCode())).status).toBe(200)
	})

	test('known devices and open sessions have five wrong codes each, and 30 a day together', {
		tags: 'd1',
	}, async () => {
		const device = await knownDevice()
		for (let n = 0; n < 5; n++) expect((await prove(await wrong())).status).toBe(403)
		expect((await prove(await app.nextCode())).status).toBe(429)
		const enter = async () =>
			completeWith(world, { ticket: await requestTicket(world, ada), totp: await app.nextCode() }, device)
		expect((await enter()).status).toBe(200)
		world.pass(24 * 60 * MINUTE)
		ada.token = await signInWithApp(world, ada, app)
		await useUpDay(prove, 403)
		expect((await enter()).status).toBe(429)
		await signInWithApp(world, ada, app)
	})

	test('a known device of another account does not count as known', async () => {
		const bob = await world.person()
		const { headers } = await world.ask(login, { body: { email: bob.email, password: bob.password } })
		const device = { headers: { 'x-device-token': headers.get('x-device-token') ?? '' } }
		const ticket = await requestTicket(world, ada)
		for (let n = 0; n < 5; n++) await completeWith(world, { ticket, totp: await wrong() })
		expect((await completeWith(world, { ticket, totp: await app.nextCode() }, device)).status).toBe(429)
	})
})

describe('the ticket of a sign-in', () => {
	test('the ticket of a sign-in grants no access by itself', async () => {
		const ticket = await requestTicket(world, ada)
		expect((await world.ask(getMe, {}, { token: ticket })).status).toBe(401)
		expect((await world.ask(switchOrg, { body: { orgId: ada.orgId } }, { token: ticket })).status).toBe(401)
	})

	test('the ticket of a sign-in expires after five minutes', async () => {
		const ticket = await requestTicket(world, ada)
		world.pass(6 * MINUTE)
		expect((await completeWith(world, { ticket, totp: await app.code() })).status).toBe(401)
	})

	test('the ticket of a sign-in ends with a change of the password', async () => {
		const ticket = await requestTicket(world, ada)
		const body = { currentPassword: ada.password, newPassword: 'another long password' }
		expect((await world.ask(changePassword, { body }, ada)).status).toBe(200)
		expect((await completeWith(world, { ticket, totp: await app.nextCode() })).status).toBe(401)
	})

	test('the ticket of a sign-in opens no session of an account that was locked meanwhile', async () => {
		const ticket = await requestTicket(world, ada)
		await world.ask(lockUser, { params: { userId: String(ada.userId) } }, root)
		expect((await completeWith(world, { ticket, totp: await app.nextCode() })).status).toBe(401)
	})

	test('a session token is no ticket of a sign-in, and neither is any other text', async () => {
		for (const ticket of [ada.token, 'x', ''])
			expect((await completeWith(world, { ticket, totp: await app.nextCode() })).status).toBe(401)
	})
})

describe('a person with a second factor who forgot the password', () => {
	test('a person with a second factor replaces a forgotten password by a mailed code and a code of the app', async () => {
		const { ticket } = await byMail()
		const { token } = (await completeWith(world, { ticket, totp: await app.nextCode() })).ok.data
		const newPassword = 'another long password'
		expect((await world.ask(changePassword, { body: { newPassword } }, { token })).status).toBe(200)
		expect(await requestTicket(world, { email: ada.email, password: newPassword })).toBeTruthy()
	})
})

describe('a session of an account with a second factor', () => {
	const prove = (body: { password: string } | { code: string } | { totp: string }) =>
		world.ask(reauthenticate, { body }, ada)
	const setPassword = () => world.ask(changePassword, { body: { newPassword: 'another long password' } }, ada)

	test('a session with a second factor is proved again by the app, not by password or mailed code', async () => {
		world.pass(10 * MINUTE)
		await world.ask(sendCode, { body: { email: ada.email } })
		const code = codeSentTo(world, ada.email)
		for (const refused of [await prove({ password: ada.password }), await prove({ code })])
			expect([refused.status, refused.code]).toEqual([403, 'reauthentication_required'])
		const totp = await app.nextCode()
		expect((await prove({ totp })).ok.data.provedUntil).toBe(new Date(world.now + 10 * MINUTE).toISOString())
		expect((await prove({ totp })).status).toBe(403)
	})

	test('a session with a second factor resets the password only with a mailed code and a code of the app', async () => {
		world.pass(10 * MINUTE)
		expect((await setPassword()).code).toBe('reauthentication_required')
		await prove({ totp: await app.nextCode() })
		expect((await setPassword()).status).toBe(400)
		await world.ask(sendCode, { body: { email: ada.email } })
		await prove({ code: codeSentTo(world, ada.email) })
		expect((await setPassword()).status).toBe(200)
	})

	test('a code of the app does not extend the time after a mailed code', async () => {
		await world.ask(sendCode, { body: { email: ada.email } })
		await prove({ code: codeSentTo(world, ada.email) })
		world.pass(9 * MINUTE)
		expect((await prove({ totp: await app.nextCode() })).status).toBe(200)
		expect((await setPassword()).status).toBe(400)
	})

	test('a person with a second factor can sign out and in again', async () => {
		await world.ask(logout, {}, ada)
		const token = await signInWithApp(world, ada, app)
		expect((await world.ask(getMe, {}, { token })).status).toBe(200)
	})
})
