import { beforeEach, describe, expect, test } from 'vitest'
import { getMe, login, reauthenticate } from '#schema/contract/accounts/identity.ts'
import {
	beginTotp,
	confirmTotp,
	getSecondFactor,
	removeTotp,
	replaceRecoveryCodes,
	resetSecondFactor,
} from '#schema/contract/accounts/sign-in/second-factor.ts'
import type { MessageByType } from '#schema/contract/messages.ts'
import { readOrigin } from '../../../../../edge/accounts/identity/origins/origin.ts'
import { signIn } from '../../../../../edge/accounts/identity/sign-in.ts'
import { identityStore } from '../../../../../edge/accounts/identity/store.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import {
	type App,
	completeWith,
	openApp,
	requestTicket,
	setUpApp,
	signInWithApp,
} from './authenticator-app.ts'

const MINUTE = 60_000
let world: World
let root: Person
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	root = await world.person()
	ada = await world.person()
})

const begin = async (who: { token: string } = ada) =>
	openApp(world, (await world.ask(beginTotp, {}, who)).ok.data.secret)
const confirm = async (app: App, who: { token: string } = ada) =>
	world.ask(confirmTotp, { body: { code: await app.code() } }, who)
const state = async () => (await world.ask(getSecondFactor, {}, ada)).ok.data
const logIn = () => world.ask(login, { body: { email: ada.email, password: ada.password } })
async function notices(): Promise<string[]> {
	const events = world.messages.splice(0).filter(({ type }) => type === 'event.happened')
	await world.deliver(events)
	await world.deliver(events)
	const mails = world.messages
		.splice(0)
		.filter((m): m is MessageByType<'mail.send'> => m.type === 'mail.send')
	return [...new Map(mails.map((mail) => [mail.id, `${mail.to}: ${mail.subject}`])).values()]
}

describe('setting up an authenticator app', () => {
	test('setting up an authenticator app changes nothing until its first code, then returns recovery codes', {
		tags: 'd1',
	}, async () => {
		const app = await begin()
		expect(await state()).toEqual({ since: null, totp: false, passkeys: 0, recoveryCodesLeft: 0 })
		expect((await logIn()).status).toBe(200)
		expect((await confirm(app)).ok.data.recoveryCodes).toHaveLength(10)
		expect(await state()).toMatchObject({ totp: true, recoveryCodesLeft: 10 })
		expect((await logIn()).code).toBe('second_factor_required')
	})

	test('setting up an authenticator app returns an otpauth URL with the address of the account', {
		tags: 'd1',
	}, async () => {
		const { secret, otpauthUrl } = (await world.ask(beginTotp, {}, ada)).ok.data
		expect(new URL(otpauthUrl).searchParams.get('secret')).toBe(secret)
		expect(decodeURIComponent(new URL(otpauthUrl).pathname)).toContain(ada.email)
	})

	test('setting up an authenticator app ends all other sessions, and keeps its own', {
		tags: 'd1',
	}, async () => {
		const other = await world.logIn(ada)
		await setUpApp(world, ada)
		expect((await world.ask(getMe, {}, { token: other })).status).toBe(401)
		expect((await world.ask(getMe, {}, ada)).status).toBe(200)
	})

	test('setting up an authenticator app stores the secret sealed, and no recovery code', {
		tags: 'd1',
	}, async () => {
		const { secret } = (await world.ask(beginTotp, {}, ada)).ok.data
		const { recoveryCodes } = (await confirm(openApp(world, secret))).ok.data
		const dump = JSON.stringify(await world.dump())
		expect(dump).toContain('totp_secrets')
		for (const text of [secret, ...(recoveryCodes ?? [])]) expect(dump).not.toContain(text)
	})

	test('setting up an authenticator app needs a recent proof and a verified address', {
		tags: 'd1',
	}, async () => {
		const bob = await world.person({ verified: false })
		expect((await world.ask(beginTotp, {}, bob)).code).toBe('email_unverified')
		world.pass(10 * MINUTE)
		expect((await world.ask(beginTotp, {}, ada)).code).toBe('reauthentication_required')
	})

	test('setting up an authenticator app accepts five tries within 15 minutes, of the newest secret alone', {
		tags: 'd1',
	}, async () => {
		const first = await begin()
		const second = await begin()
		expect((await confirm(first)).status).toBe(403)
		world.pass(16 * MINUTE)
		await world.ask(reauthenticate, { body: { password: ada.password } }, ada)
		expect((await confirm(second)).status).toBe(409)
		const third = await begin()
		for (let i = 0; i < 5; i++) await world.ask(confirmTotp, { body: { code: await first.nextCode() } }, ada)
		expect((await confirm(third)).status).toBe(429)
	})

	test('concurrent confirmations of an authenticator app with one secret succeed once', async () => {
		const app = await begin()
		const answers = await Promise.all([1, 2, 3].map(() => confirm(app)))
		expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
		expect(await state()).toMatchObject({ totp: true, recoveryCodesLeft: 10 })
	})

	test('setting up an authenticator app replaces the former app, and keeps the recovery codes', {
		tags: 'd1',
	}, async () => {
		const { app: former } = await setUpApp(world, ada)
		world.pass(MINUTE)
		const { app, recoveryCodes } = await setUpApp(world, ada)
		expect(recoveryCodes).toBeNull()
		expect(await state()).toMatchObject({ recoveryCodesLeft: 10 })
		const ticket = await requestTicket(world, ada)
		expect((await completeWith(world, { ticket, totp: await former.nextCode() })).status).toBe(401)
		expect((await completeWith(world, { ticket, totp: await app.nextCode() })).status).toBe(200)
	})

	test('setting up an authenticator app rejects a sign-in that read the account before', {
		tags: 'd1',
	}, async () => {
		const stale = await world.perform((d) => identityStore(d.db).findUser(ada.userId))
		if (!stale) throw new Error('the account does not exist')
		const origin = readOrigin({
			ip: '192.0.2.1',
			request: new Request('https://edge.test'),
			headers: new Headers(),
		})
		const open = () => world.perform((d) => signIn(d, stale, origin, 'password', 'not proved'))
		expect((await open()).token).toBeTruthy()
		await setUpApp(world, ada)
		await expect(open()).rejects.toMatchObject({ code: 'unauthorized' })
	})
})

describe('removing the app', { tags: 'd1' }, () => {
	test('removing the authenticator app ends the second factor and the recovery codes', async () => {
		await setUpApp(world, ada)
		expect((await world.ask(removeTotp, {}, ada)).status).toBe(200)
		expect(await state()).toEqual({ since: null, totp: false, passkeys: 0, recoveryCodesLeft: 0 })
		expect((await logIn()).status).toBe(200)
		expect((await world.ask(removeTotp, {}, ada)).status).toBe(404)
	})

	test('removing the authenticator app needs a recent proof by the second factor, not by the password', async () => {
		const { app } = await setUpApp(world, ada)
		world.pass(10 * MINUTE)
		await world.ask(reauthenticate, { body: { password: ada.password } }, ada)
		for (const op of [removeTotp, replaceRecoveryCodes, beginTotp] as const)
			expect((await world.ask(op, {}, ada)).code).toBe('reauthentication_required')
		await world.ask(reauthenticate, { body: { totp: await app.nextCode() } }, ada)
		expect((await world.ask(removeTotp, {}, ada)).status).toBe(200)
	})
})

describe('recovery codes', { tags: 'd1' }, () => {
	test('each use of a recovery code causes a mail with the number of codes left', {
		tags: 'd1',
	}, async () => {
		const { recoveryCodes } = await setUpApp(world, ada)
		const texts: string[] = []
		for (const recoveryCode of recoveryCodes ?? []) {
			world.pass(MINUTE)
			expect(
				(await completeWith(world, { ticket: await requestTicket(world, ada), recoveryCode })).code,
			).toBe(null)
			await world.deliver(world.messages.splice(0).filter(({ type }) => type === 'event.happened'))
			for (const message of world.messages.splice(0))
				if (message.type === 'mail.send' && /recovery code/i.test(message.subject))
					texts.push(`${message.subject}: ${message.text.replaceAll(/\s+/g, ' ')}`)
		}
		expect(texts).toHaveLength(10)
		expect(texts[0]).toContain('9 recovery codes are left.')
		expect(texts[7]).toContain('only 2 recovery codes are left. Create new ones')
		expect(texts[8]).toContain('only one recovery code is left.')
		expect(texts[9]).toMatch(/^Your last recovery code was used .+create new recovery codes now/)
	})

	test('recovery codes can be replaced, and the earlier ones no longer work', async () => {
		const { recoveryCodes: former } = await setUpApp(world, ada)
		const fresh = (await world.ask(replaceRecoveryCodes, {}, ada)).ok.data.recoveryCodes
		const ticket = await requestTicket(world, ada)
		const use = (code: string | undefined) => completeWith(world, { ticket, recoveryCode: code ?? '' })
		expect((await use(former?.[0])).status).toBe(401)
		expect((await use(fresh[0])).status).toBe(200)
	})

	test('recovery codes exist only with a second factor', async () => {
		expect((await world.ask(replaceRecoveryCodes, {}, ada)).status).toBe(409)
	})

	test('a recovery code lets a person who lost the app set up another one', async () => {
		const { recoveryCodes } = await setUpApp(world, ada)
		const answer = await completeWith(world, {
			ticket: await requestTicket(world, ada),
			recoveryCode: recoveryCodes?.[0] ?? '',
		})
		const { app } = await setUpApp(world, answer.ok.data)
		expect(await signInWithApp(world, ada, app)).toBeTruthy()
	})
})

describe('reset by an operator', { tags: 'd1' }, () => {
	const reset = (who: { token: string }) =>
		world.ask(resetSecondFactor, { params: { userId: String(ada.userId) } }, who)

	test('the reset of a second factor by an operator removes it and ends all sessions', async () => {
		await setUpApp(world, ada)
		expect((await reset(root)).status).toBe(200)
		expect((await world.ask(getMe, {}, ada)).status).toBe(401)
		expect((await logIn()).status).toBe(200)
		expect((await reset(root)).status).toBe(404)
	})

	test('nobody but a superadmin resets a second factor', async () => {
		await setUpApp(world, ada)
		expect((await reset(ada)).status).toBe(403)
		expect(await state()).toMatchObject({ totp: true })
	})
})

test('each change of the second factors causes one mail to their owner', { tags: 'd1' }, async () => {
	await notices()
	const { recoveryCodes } = await setUpApp(world, ada)
	expect(await notices()).toEqual([`${ada.email}: An authenticator app was set up (Playhouse)`])
	await completeWith(world, {
		ticket: await requestTicket(world, ada),
		recoveryCode: recoveryCodes?.[0] ?? '',
	})
	expect(await notices()).toContain(`${ada.email}: A recovery code was used (Playhouse)`)
	await world.ask(replaceRecoveryCodes, {}, ada)
	expect(await notices()).toEqual([`${ada.email}: New recovery codes were created (Playhouse)`])
	await world.ask(removeTotp, {}, ada)
	expect(await notices()).toEqual([`${ada.email}: An authenticator app was removed (Playhouse)`])
	await setUpApp(world, ada)
	await world.ask(resetSecondFactor, { params: { userId: String(ada.userId) } }, root)
	expect((await notices()).toSorted()).toEqual([
		`${ada.email}: An authenticator app was set up (Playhouse)`,
		`${ada.email}: Your second factor was removed (Playhouse)`,
	])
})
