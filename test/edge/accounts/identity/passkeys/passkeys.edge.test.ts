import { beforeEach, describe, expect, test } from 'vitest'
import { getMe, login, reauthenticate } from '#schema/contract/accounts/identity.ts'
import {
	createPasskey,
	createPasskeyOptions,
	createSignInOptions,
	deletePasskey,
	listPasskeys,
	signInWithPasskey,
	updatePasskey,
} from '#schema/contract/accounts/sign-in/passkeys.ts'
import { getSecondFactor, removeTotp } from '#schema/contract/accounts/sign-in/second-factor.ts'
import type { PasskeyAssertion } from '#schema/contract/accounts/sign-in/webauthn.ts'
import { lockUser } from '#schema/contract/operations/admin/users.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { completeWith, requestTicket, setUpApp } from '../second-factor/authenticator-app.ts'
import {
	addPasskey,
	type Deviation,
	flip,
	openAuthenticator,
	signChallenge,
} from './software-authenticator.ts'

const MINUTE = 60_000
let world: World
let root: Person
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	root = await world.person()
	ada = await world.person()
})

const signIn = (passkey: PasskeyAssertion) => world.ask(signInWithPasskey, { body: { passkey } })
const optionsFor = async (who: { token: string }) =>
	(await world.ask(createPasskeyOptions, {}, who)).ok.data.publicKey

describe('a passkey', { tags: 'd1' }, () => {
	test.each([-7, -257] as const)(
		'a passkey of the algorithm %i signs in without a password',
		async (algorithm) => {
			const { authenticator } = await addPasskey(world, ada, 'Laptop', algorithm)
			for (let i = 0; i < 2; i++) {
				const { token, user } = (await signIn(await signChallenge(world, authenticator))).ok.data
				expect(user).toMatchObject({ id: ada.userId, hasSecondFactor: true })
				expect((await world.ask(getMe, {}, { token })).status).toBe(200)
			}
		},
	)

	test('a passkey is a second factor: a password alone no longer signs in, and recovery codes do', async () => {
		const { recoveryCodes } = await addPasskey(world, ada)
		const body = { email: ada.email, password: ada.password }
		expect((await world.ask(login, { body })).code).toBe('second_factor_required')
		const ticket = await requestTicket(world, ada)
		expect((await completeWith(world, { ticket, recoveryCode: recoveryCodes?.[0] ?? '' })).status).toBe(200)
	})

	test('a passkey proves an open session, but not that of another person', async () => {
		const { authenticator } = await addPasskey(world, ada)
		world.pass(10 * MINUTE)
		const prove = async (who: Person) =>
			world.ask(reauthenticate, { body: { passkey: await signChallenge(world, authenticator) } }, who)
		expect((await prove(root)).status).toBe(403)
		expect((await world.ask(createPasskeyOptions, {}, ada)).code).toBe('reauthentication_required')
		expect((await prove(ada)).status).toBe(200)
		expect((await world.ask(createPasskeyOptions, {}, ada)).status).toBe(200)
	})

	test('a passkey does not open an account that is locked', async () => {
		const { authenticator } = await addPasskey(world, ada)
		await world.ask(lockUser, { params: { userId: String(ada.userId) } }, root)
		expect((await signIn(await signChallenge(world, authenticator))).code).toBe('account_locked')
	})
})

describe('refused sign-ins with a passkey', () => {
	const deviations: [string, Deviation][] = [
		['from a page of another origin', { origin: 'https://evil.test' }],
		['from a page whose host only ends like the own one', { origin: 'https://notedge.test' }],
		['from a page over plain http', { origin: 'http://edge.test' }],
		['from a frame of another page', { crossOrigin: true }],
		['for another relying party', { rpId: 'evil.test' }],
		['if the authenticator verified nobody', { flags: 0x01 }],
		['if nobody was present', { flags: 0x04 }],
		['with the data of a registration', { type: 'webauthn.create' }],
		['with the handle of another user', { userHandle: 'AAAA' }],
	]
	test.each(deviations)('a sign-in with a passkey is refused %s', { tags: 'd1' }, async (_, deviation) => {
		const { authenticator } = await addPasskey(world, ada)
		expect((await signIn(await signChallenge(world, authenticator, deviation))).status).toBe(401)
		expect((await signIn(await signChallenge(world, authenticator))).status).toBe(200)
	})

	test('a sign-in with a passkey is refused if the data or the signature was changed or is foreign', {
		tags: 'd1',
	}, async () => {
		const { authenticator } = await addPasskey(world, ada)
		const { authenticator: other } = await addPasskey(world, root)
		const passkey = await signChallenge(world, authenticator)
		const { response } = passkey
		const { response: foreign } = await signChallenge(world, other)
		for (const changed of [
			{ ...response, signature: flip(response.signature) },
			{ ...response, signature: 'AA' },
			{ ...response, authenticatorData: flip(response.authenticatorData) },
			{ ...response, authenticatorData: 'AA' },
			{ ...response, clientDataJSON: flip(response.clientDataJSON) },
			{ ...response, signature: foreign.signature },
			foreign,
		])
			expect((await signIn({ ...passkey, response: changed })).status).toBe(401)
		expect((await signIn(passkey)).status).toBe(200)
	})

	test('a sign-in with a passkey is refused for a used challenge, even at the same time', async () => {
		const { authenticator } = await addPasskey(world, ada)
		const passkey = await signChallenge(world, authenticator)
		const answers = await Promise.all([1, 2, 3].map(() => signIn(passkey)))
		expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401])
	})

	test('a sign-in with a passkey is refused for a challenge older than five minutes', {
		tags: 'd1',
	}, async () => {
		const { authenticator } = await addPasskey(world, ada)
		const passkey = await signChallenge(world, authenticator)
		world.pass(5 * MINUTE)
		expect((await signIn(passkey)).status).toBe(401)
	})

	test('a sign-in with a passkey is refused for the challenge of a registration, and for an unknown one', {
		tags: 'd1',
	}, async () => {
		const { authenticator } = await addPasskey(world, ada)
		const { challenge } = await optionsFor(ada)
		for (const text of [challenge, 'AAAA', ''])
			expect((await signIn(await authenticator.get(text))).status).toBe(401)
	})

	test('a sign-in with a passkey is refused if its counter did not grow, as after a copy', {
		tags: 'd1',
	}, async () => {
		const { authenticator } = await addPasskey(world, ada)
		expect((await signIn(await signChallenge(world, authenticator, { counter: 7 }))).status).toBe(200)
		for (const counter of [7, 6, 0])
			expect((await signIn(await signChallenge(world, authenticator, { counter }))).status).toBe(401)
		expect((await signIn(await signChallenge(world, authenticator, { counter: 8 }))).status).toBe(200)
	})

	test('a sign-in with a passkey is refused after the passkey was deleted', { tags: 'd1' }, async () => {
		const { authenticator, passkey } = await addPasskey(world, ada)
		await world.ask(deletePasskey, { params: { passkeyId: passkey.id } }, ada)
		expect((await signIn(await signChallenge(world, authenticator))).status).toBe(401)
		expect((await world.ask(login, { body: { email: ada.email, password: ada.password } })).status).toBe(200)
	})
})

test('the passkey options for a sign-in name no account, and cost no statement', { tags: 'd1' }, async () => {
	await addPasskey(world, ada)
	const asked = await world.ask(createSignInOptions, {})
	expect(asked.statements).toEqual([])
	expect(asked.ok.data.publicKey).toEqual({
		challenge: expect.any(String),
		timeout: 5 * MINUTE,
		rpId: 'edge.test',
		allowCredentials: [],
		userVerification: 'required',
	})
})

describe('registering a passkey', { tags: 'd1' }, () => {
	const register = (credential: unknown, who: { token: string } = ada) =>
		world.ask(createPasskey, { body: { name: 'Key', credential } as never }, who)

	test('registering a passkey names the user to the authenticator by a stable random id', async () => {
		const [one, two, other] = [await optionsFor(ada), await optionsFor(ada), await optionsFor(root)]
		expect(one.user.id).toBe(two.user.id)
		expect(one.user.id).not.toBe(other.user.id)
		expect(one).toMatchObject({ rp: { id: 'edge.test' }, user: { name: ada.email }, attestation: 'none' })
	})

	test('registering a passkey excludes the passkeys of the account', async () => {
		const { authenticator } = await addPasskey(world, ada)
		expect((await optionsFor(ada)).excludeCredentials).toEqual([{ type: 'public-key', id: authenticator.id }])
	})

	const deviations: [string, Deviation][] = [
		['from a page of another origin', { origin: 'https://evil.test' }],
		['for another relying party', { rpId: 'evil.test' }],
		['if the authenticator verified nobody', { flags: 0x01 }],
		['with the data of a sign-in', { type: 'webauthn.get' }],
	]
	test.each(deviations)('registering a passkey is refused %s', async (_, deviation) => {
		const authenticator = await openAuthenticator()
		expect((await register(await authenticator.create(await optionsFor(ada), deviation))).status).toBe(400)
		expect((await world.ask(listPasskeys, {}, ada)).ok.data).toEqual([])
	})

	test('registering a passkey is refused with the options of somebody else', async () => {
		const authenticator = await openAuthenticator()
		expect((await register(await authenticator.create(await optionsFor(root)))).status).toBe(400)
	})

	test('registering a passkey is refused with another id or an invalid key', async () => {
		const authenticator = await openAuthenticator()
		const credential = await authenticator.create(await optionsFor(ada))
		const { response } = credential
		for (const changed of [
			{ ...credential, id: 'AAAA' },
			{ ...credential, response: { ...response, publicKey: 'AAAA' } },
			{ ...credential, response: { ...response, publicKeyAlgorithm: -257 } },
			{ ...credential, response: { ...response, publicKeyAlgorithm: -8 } },
			{ ...credential, response: { ...response, authenticatorData: 'AAAA' } },
		])
			expect((await register(changed)).status).toBe(400)
		expect((await register(credential)).status).toBe(201)
	})

	test('registering a passkey uses its challenge up, and accepts each passkey once', async () => {
		const authenticator = await openAuthenticator()
		const credential = await authenticator.create(await optionsFor(ada))
		expect((await register(credential)).status).toBe(201)
		expect((await register(credential)).status).toBe(400)
		expect((await register(await authenticator.create(await optionsFor(root)), root)).status).toBe(409)
	})

	test('registering a passkey needs a recent proof and a verified address', async () => {
		const bob = await world.person({ verified: false })
		expect((await world.ask(createPasskeyOptions, {}, bob)).code).toBe('email_unverified')
		world.pass(10 * MINUTE)
		expect((await world.ask(createPasskeyOptions, {}, ada)).code).toBe('reauthentication_required')
	})

	test('registering the first factor as a passkey returns recovery codes and ends other sessions', async () => {
		const other = await world.logIn(ada)
		expect((await addPasskey(world, ada)).recoveryCodes).toHaveLength(10)
		expect((await world.ask(getMe, {}, { token: other })).status).toBe(401)
		expect((await addPasskey(world, ada)).recoveryCodes).toBeNull()
	})

	test('an account has at most 20 passkeys', async () => {
		for (let i = 0; i < 20; i++) await addPasskey(world, ada)
		const authenticator = await openAuthenticator()
		expect((await register(await authenticator.create(await optionsFor(ada)))).status).toBe(409)
	})
})

describe('the passkeys of an account', () => {
	test('the passkeys of an account are listed, renamed and deleted by their owner alone', async () => {
		const { passkey, authenticator } = await addPasskey(world, ada)
		const { passkey: newer } = await addPasskey(world, ada, 'Phone')
		await signIn(await signChallenge(world, authenticator))
		const params = { passkeyId: passkey.id }
		for (const refused of [
			await world.ask(updatePasskey, { params, body: { name: 'Mine' } }, root),
			await world.ask(deletePasskey, { params }, root),
		])
			expect(refused.status).toBe(404)
		await world.ask(updatePasskey, { params, body: { name: 'Old laptop' } }, ada)
		const listed = (await world.ask(listPasskeys, {}, ada)).ok.data
		expect(listed.map(({ id, name, lastUsedAt }) => [id, name, lastUsedAt !== null])).toEqual([
			[newer.id, 'Phone', false],
			[passkey.id, 'Old laptop', true],
		])
		expect((await world.ask(deletePasskey, { params }, ada)).status).toBe(200)
		expect((await world.ask(listPasskeys, {}, ada)).ok.data).toHaveLength(1)
	})

	test('an account keeps its second factor while a factor of any kind is left', { tags: 'd1' }, async () => {
		await setUpApp(world, ada)
		const { passkey } = await addPasskey(world, ada)
		await world.ask(removeTotp, {}, ada)
		expect((await world.ask(getSecondFactor, {}, ada)).ok.data).toMatchObject({
			since: expect.any(String),
			totp: false,
			passkeys: 1,
			recoveryCodesLeft: 10,
		})
		await world.ask(deletePasskey, { params: { passkeyId: passkey.id } }, ada)
		expect((await world.ask(getSecondFactor, {}, ada)).ok.data).toMatchObject({
			since: null,
			recoveryCodesLeft: 0,
		})
	})
})

test('used challenges are deleted once they have expired', { tags: 'd1' }, async () => {
	const { authenticator } = await addPasskey(world, ada)
	await signIn(await signChallenge(world, authenticator))
	const used = async () => (await world.deps(({ db }) => db.all('select 1 from used_challenges'))).length
	expect(await used()).toBe(2)
	world.pass(6 * MINUTE)
	await world.cron('17 3 * * *')
	expect(await used()).toBe(0)
})
