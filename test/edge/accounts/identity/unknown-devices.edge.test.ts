import { beforeEach, describe, expect, test } from 'vitest'
import { changePassword, login, sendCode, verifyCode } from '#schema/contract/accounts/identity.ts'
import { codeSentTo } from '../../../support/edge/mailbox.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const HOME = '192.0.2.10'
/** Returns one of many networks of an attacker. */
const networkAt = (i: number) => `203.${(i >> 8) & 255}.113.${i & 255}`

type From = { ip: string; headers?: Record<string, string> }
const tryLogin = (password: string, from: From, email = ada.email) =>
	world.ask(login, { body: { email, password } }, from)
const send = (from: From) => world.ask(sendCode, { body: { email: ada.email } }, from)
const verify = (code: string, from: From) => world.ask(verifyCode, { body: { email: ada.email, code } }, from)
const other = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

/** Returns the credentials of a device after its owner signed in from it. */
async function knownDevice(from: From = { ip: HOME }) {
	const { headers } = await tryLogin(ada.password, from)
	const token = headers.get('x-device-token') ?? ''
	const cookie = (headers.get('set-cookie') ?? '').split(';')[0] ?? ''
	return { token, cookie, asHeader: { 'x-device-token': token }, asCookie: { cookie } }
}

/** Guesses from many networks until new networks are throttled. Returns how many guesses were admitted. */
async function guessFromEverywhere(): Promise<number> {
	let admitted = 0
	for (let i = 0; i < 30; i++) if ((await tryLogin('guess', { ip: networkAt(i) })).status === 401) admitted++
	return admitted
}

describe('password guesses by unknown devices', { tags: 'd1' }, () => {
	test('password guesses by unknown devices never lock out the owner in another network', async () => {
		for (let hour = 0; hour < 8; hour++) {
			for (let i = 0; i < 12; i++) await tryLogin(`guess ${hour} ${i}`, { ip: '198.18.0.5' })
			world.pass(60 * MINUTE)
		}
		expect((await tryLogin(ada.password, { ip: HOME })).status).toBe(200)
	})

	test('password guesses beyond the limit of their network do not count against the account', async () => {
		for (let i = 0; i < 40; i++) await tryLogin(`guess ${i}`, { ip: '198.18.0.5' })
		// That network used ten of the twenty free tries of all unknown devices.
		for (let i = 0; i < 15; i++)
			expect((await tryLogin('guess', { ip: networkAt(i) })).status, `network ${i}`).toBe(401)
	})

	test('password guesses from a whole IPv6 site count as one network', async () => {
		for (let i = 0; i < 40; i++) await tryLogin('guess', { ip: `2001:db8:5:${i}::1` })
		expect((await tryLogin(ada.password, { ip: '2001:db8:5:99::1' })).status).toBe(429)
		expect((await tryLogin(ada.password, { ip: HOME })).status).toBe(200)
	})

	test('password guesses from many networks throttle unknown devices for minutes, but no known device', async () => {
		const device = await knownDevice()
		expect(await guessFromEverywhere()).toBe(20)
		const unknown = await tryLogin(ada.password, { ip: '198.51.100.200' })
		expect(unknown.status).toBe(429)
		expect(Number(unknown.headers.get('retry-after'))).toBeLessThanOrEqual(15 * 60)
		for (const headers of [device.asHeader, device.asCookie])
			expect((await tryLogin(ada.password, { ip: '198.51.100.201', headers })).status).toBe(200)
		world.pass(MINUTE)
		expect((await tryLogin(ada.password, { ip: '198.51.100.200' })).status).toBe(200)
	})

	test('password guesses in the network of a known device do not throttle that device', async () => {
		const device = await knownDevice()
		for (let i = 0; i < 40; i++) await tryLogin(`guess ${i}`, { ip: HOME })
		expect((await tryLogin(ada.password, { ip: HOME })).status).toBe(429)
		expect((await tryLogin(ada.password, { ip: HOME, headers: device.asHeader })).status).toBe(200)
	})

	test('password guesses from any number of networks get fewer than 100 tries in six hours at one account', async () => {
		let tries = 0
		for (let i = 0; i < 40; i++)
			if ((await tryLogin('guess', { ip: networkAt(500 + i) })).status === 401) tries++
		for (let minute = 0; minute < 6 * 60; minute += 10) {
			for (const ip of [networkAt(minute), networkAt(minute + 1), '198.18.0.5', '198.18.0.6'])
				if ((await tryLogin('guess', { ip })).status === 401) tries++
			world.pass(10 * MINUTE)
		}
		expect(tries).toBeLessThan(100)
	})

	test('password guesses throttle an address without an account in the same way', async () => {
		const statuses: number[][] = []
		for (const email of [ada.email, 'nobody@example.org']) {
			const results: number[] = []
			for (let i = 0; i < 12; i++) results.push((await tryLogin('guess', { ip: '198.18.0.5' }, email)).status)
			statuses.push(results)
		}
		expect(statuses[1]).toEqual(statuses[0])
	})
})

describe('a known device', { tags: 'd1' }, () => {
	test('a known device is throttled for its own wrong passwords, and a success resets them', async () => {
		const { asHeader: headers } = await knownDevice()
		const from = { ip: HOME, headers }
		for (let i = 0; i < 10; i++) expect((await tryLogin(`guess ${i}`, from)).status).toBe(401)
		expect((await tryLogin(ada.password, from)).status).toBe(429)
		world.pass(MINUTE)
		expect((await tryLogin(ada.password, from)).status).toBe(200)
		for (let i = 0; i < 10; i++) expect((await tryLogin(`guess ${i}`, from)).status).toBe(401)
	})

	test('a device token is unknown for another account, after a change of it, and after 180 days', async () => {
		const device = await knownDevice()
		const eve = await world.person()
		const token = (await tryLogin(eve.password, { ip: '198.51.100.1' }, eve.email)).headers.get(
			'x-device-token',
		)
		await guessFromEverywhere()
		for (const forged of [token ?? '', `${device.token.slice(0, -3)}abc`, ada.token, 'x'])
			expect((await tryLogin(ada.password, { ip: HOME, headers: { 'x-device-token': forged } })).status).toBe(
				429,
			)
		world.pass(181 * DAY)
		await guessFromEverywhere()
		expect((await tryLogin(ada.password, { ip: HOME, headers: device.asHeader })).status).toBe(429)
	})

	test('a password change makes every device unknown, except the one that made the change', async () => {
		const device = await knownDevice()
		const body = { currentPassword: ada.password, newPassword: 'another password' }
		const changed = await world.ask(changePassword, { body }, ada)
		const fresh = { 'x-device-token': changed.headers.get('x-device-token') ?? '' }
		await guessFromEverywhere()
		const from = { ip: HOME }
		expect((await tryLogin('another password', { ...from, headers: device.asHeader })).status).toBe(429)
		expect((await tryLogin('another password', { ...from, headers: fresh })).status).toBe(200)
	})

	test('a known device needs the password, and its cookie is hidden from scripts and other sites', async () => {
		const device = await knownDevice()
		expect((await tryLogin('guess', { ip: HOME, headers: device.asHeader })).status).toBe(401)
		const { headers } = await tryLogin(ada.password, { ip: HOME })
		expect(headers.get('set-cookie')).toMatch(
			/^__Host-device-[\w-]{8}=[\w.-]+; Path=\/; Max-Age=15552000; Secure; HttpOnly; SameSite=Strict$/,
		)
		expect(headers.get('set-cookie')).not.toContain(ada.email)
	})
})

describe('code guesses and requests by unknown devices', () => {
	test('more than 30 code guesses by unknown devices do not lock out the owner of the address', {
		tags: 'd1',
	}, async () => {
		for (let i = 0; i < 31; i++) await verify('000000', { ip: '198.18.0.5' })
		await send({ ip: HOME })
		const code = codeSentTo(world, ada.email)
		for (let i = 0; i < 31; i++) await verify(other(code), { ip: '198.18.0.5' })
		expect((await verify(code, { ip: HOME })).status).toBe(200)
	})

	test('code guesses from many networks use up the tries of unknown devices, but not of a known device', {
		tags: 'd1',
	}, async () => {
		const device = await knownDevice()
		await send({ ip: HOME })
		const code = codeSentTo(world, ada.email)
		const statuses: number[] = []
		for (let i = 0; i < 20; i++) statuses.push((await verify(other(code), { ip: networkAt(i) })).status)
		expect(new Set(statuses)).toEqual(new Set([401]))
		expect((await verify(code, { ip: '198.51.100.2' })).status).toBe(401)
		expect((await verify(code, { ip: HOME, headers: device.asHeader })).status).toBe(200)
	})

	test('unknown devices get 15 tries at a code, from any number of networks', { tags: 'd1' }, async () => {
		await send({ ip: HOME })
		const code = codeSentTo(world, ada.email)
		for (let i = 0; i < 15; i++) await verify(other(code), { ip: networkAt(i) })
		expect((await verify(code, { ip: HOME })).status).toBe(401)
	})

	test('code requests from one network leave codes for the owner, and never limit a known device', async () => {
		const device = await knownDevice()
		for (let i = 0; i < 6; i++) {
			await send({ ip: '198.18.0.5' })
			world.pass(MINUTE)
		}
		expect((await send({ ip: '198.18.0.5' })).status).toBe(429)
		expect((await send({ ip: HOME })).status).toBe(200)
		for (let i = 0; i < 10; i++) {
			world.pass(MINUTE)
			await send({ ip: networkAt(i) })
		}
		expect((await send({ ip: '198.51.100.2' })).status).toBe(429)
		expect((await send({ ip: HOME, headers: device.asHeader })).status).toBe(200)
	})
})
