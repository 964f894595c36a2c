import { beforeEach, describe, expect, test } from 'vitest'
import {
	changePassword,
	getMe,
	sendCode,
	verifyCode,
	verifySignupCode,
} from '#schema/contract/accounts/identity.ts'
import { codeSentTo, codeUnlike } from '../../../../support/edge/mailbox.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

const MINUTE = 60_000
const send = (email: string, ip = '192.0.2.5') => world.ask(sendCode, { body: { email } }, { ip })
const verify = (email: string, code: string, ip = '192.0.2.5') =>
	world.ask(verifyCode, { body: { email, code } }, { ip })
const other = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

describe('sending a code', () => {
	test('sending a code gives the same answer with the same statements for known and unknown addresses', async () => {
		const known = await send(ada.email)
		const unknown = await send('nobody@example.org')
		expect([known.status, known.text]).toEqual([200, '{"data":{"sent":true}}'])
		expect([unknown.status, unknown.text]).toEqual([known.status, known.text])
		expect(unknown.statements).toEqual(known.statements)
		expect(world.messages.filter((m) => m.type === 'code.send')).toHaveLength(2)
	})

	test('sign-in codes are limited to one a minute, five an hour and ten a day per address', {
		tags: 'd1',
	}, async () => {
		const statuses: number[] = []
		let network = 0
		const sendAfter = async (ms: number) => {
			world.pass(ms)
			statuses.push((await send(ada.email, `192.0.2.${network++}`)).status)
		}
		await sendAfter(0)
		await sendAfter(30_000)
		for (let i = 0; i < 4; i++) await sendAfter(MINUTE)
		expect(statuses).toEqual([200, 429, 200, 200, 200, 200])
		world.pass(MINUTE)
		const sixth = await send(ada.email)
		expect(sixth.status).toBe(429)
		expect(Number(sixth.headers.get('retry-after'))).toBeGreaterThan(50 * 60)
		statuses.length = 0
		for (let i = 0; i < 6; i++) await sendAfter(61 * MINUTE)
		expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
		await sendAfter(24 * 60 * MINUTE)
		expect(statuses.at(-1)).toBe(200)
	})

	test('sign-in codes are limited to three an hour and five a day per address and network', {
		tags: 'd1',
	}, async () => {
		const statuses: number[] = []
		for (const ms of [
			0,
			MINUTE,
			MINUTE,
			MINUTE,
			60 * MINUTE,
			MINUTE,
			MINUTE,
			60 * MINUTE,
			24 * 60 * MINUTE,
		]) {
			world.pass(ms)
			statuses.push((await send(ada.email)).status)
		}
		expect(statuses).toEqual([200, 200, 200, 429, 200, 200, 429, 429, 200])
	})

	test('ten concurrent requests for a code send one code', async () => {
		const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => send(ada.email, `192.0.2.${i}`)))
		expect(answers.map((a) => a.status).toSorted()).toEqual([200, ...Array(9).fill(429)])
	})

	test('stores no sign-in code in plain text', async () => {
		await send(ada.email)
		const rows = await world.deps((d) => d.db.all('select * from otp_codes'))
		expect(JSON.stringify(rows)).not.toContain(codeSentTo(world, ada.email))
	})
})

describe('a sign-in code', () => {
	test('a sign-in code signs in once', async () => {
		await send(ada.email)
		const code = codeSentTo(world, ada.email)
		const first = await verify(ada.email, code)
		expect(first.ok.data.user.id).toBe(ada.userId)
		expect((await world.ask(getMe, {}, first.ok.data)).status).toBe(200)
		expect((await verify(ada.email, code)).status).toBe(401)
	})

	test('a sign-in code signs in only one of several concurrent requests', async () => {
		await send(ada.email)
		const code = codeSentTo(world, ada.email)
		const answers = await Promise.all(Array.from({ length: 5 }, () => verify(ada.email, code)))
		expect(answers.filter((a) => a.status === 200)).toHaveLength(1)
	})

	test('a sign-in code allows five wrong tries from one network, and then answers 429', async () => {
		await send(ada.email)
		const code = codeSentTo(world, ada.email)
		for (let i = 0; i < 5; i++) expect((await verify(ada.email, other(code))).status).toBe(401)
		const sixth = await verify(ada.email, code)
		expect(sixth.status).toBe(429)
		expect(Number(sixth.headers.get('retry-after'))).toBeLessThanOrEqual(600)
	})

	test('a sign-in code expires after ten minutes, and as soon as a newer one is sent', async () => {
		await send(ada.email)
		const first = codeSentTo(world, ada.email)
		world.pass(MINUTE)
		await send(ada.email)
		const second = await codeUnlike(world, first, ada.email, () => send(ada.email))
		expect((await verify(ada.email, first)).status).toBe(401)
		world.pass(10 * MINUTE)
		expect((await verify(ada.email, second)).status).toBe(401)
	})

	test('a sign-in code is rejected for another address', async () => {
		await send('bob@example.org')
		await send(ada.email)
		const code = codeSentTo(world, 'bob@example.org')
		await codeUnlike(world, code, ada.email, () => send(ada.email))
		expect((await verify(ada.email, code)).status).toBe(401)
	})

	test('a sign-in code allows 15 tries from all networks together, for each of ten codes a day', async () => {
		let network = 0
		for (let i = 0; i < 11; i++) {
			await send(ada.email, `192.0.2.${i}`)
			const code = codeSentTo(world, ada.email)
			for (let k = 0; k < 16; k++) {
				network++
				const ip = `198.51.${network >> 8}.${network & 255}`
				await verify(ada.email, other(code), ip)
			}
			world.pass(60 * MINUTE)
		}
		const [spent] = await world.deps((d) =>
			d.db.all<{ tries: number }>('select sum(tries) as tries from otp_codes'),
		)
		expect(spent?.tries).toBe(150)
	})
})

describe('a forgotten password', () => {
	const set = (token: string) =>
		world.ask(changePassword, { body: { newPassword: 'a new password' } }, { token })

	test('a sign-in by code may replace the password within 10 minutes, and not otherwise', async () => {
		expect((await set(ada.token)).status).toBe(400)
		await send(ada.email)
		const { token } = (await verify(ada.email, codeSentTo(world, ada.email))).ok.data
		world.pass(10 * MINUTE)
		expect((await set(token)).status).toBe(400)
		await send(ada.email)
		const fresh = (await verify(ada.email, codeSentTo(world, ada.email))).ok.data.token
		expect((await set(fresh)).status).toBe(200)
		expect(await world.logIn({ email: ada.email, password: 'a new password' })).toEqual(expect.any(String))
	})
})

describe('signing up with a code', () => {
	const signUp = (email: string, code: string) =>
		world.ask(verifySignupCode, { body: { email, code, name: 'Bob' } })

	test('signing up with a code creates an account without a password, which the user can set later', async () => {
		await send('bob@example.org')
		const code = codeSentTo(world, 'bob@example.org')
		// The sign-in fails because there is no account, but leaves the code valid for the sign-up.
		expect((await verify('bob@example.org', code)).status).toBe(401)
		const { status, ok } = await signUp('bob@example.org', code)
		expect(status).toBe(201)
		expect(ok.data.user.hasPassword).toBe(false)
		const set = await world.ask(changePassword, { body: { newPassword: 'now I have one' } }, ok.data)
		expect(set.ok.data.user.hasPassword).toBe(true)
		expect(await world.logIn({ email: 'bob@example.org', password: 'now I have one' })).toEqual(
			expect.any(String),
		)
	})

	test('signing up with a code answers 409 for an address with an account, and 401 for a wrong code', async () => {
		await send(ada.email)
		const code = codeSentTo(world, ada.email)
		expect((await signUp(ada.email, other(code))).status).toBe(401)
		expect((await signUp(ada.email, code)).status).toBe(409)
	})
})
