import { beforeEach, describe, expect, test } from 'vitest'
import { getMe, login, reauthenticate, switchOrg } from '#schema/contract/accounts/identity.ts'
import {
	listSessions,
	logout,
	refreshToken,
	revokeOtherSessions,
	revokeSession,
} from '#schema/contract/accounts/sessions.ts'
import { impersonate } from '#schema/contract/operations/admin/impersonation.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const me = async (token: string) => (await world.ask(getMe, {}, { token })).status

const renewalIdIn = (token: string) => JSON.parse(atob(token.split('.')[1] as string)).rid as string

describe('sessions', () => {
	test('sessions are listed newest first, and one session can end another', async () => {
		world.pass(1000)
		const second = await world.logIn(ada)
		const { ok } = await world.ask(listSessions, {}, ada)
		expect(ok.data.map((s) => s.current)).toEqual([false, true])
		const [other] = ok.data
		await world.ask(revokeSession, { params: { sessionId: other?.id ?? '' } }, ada)
		expect(await me(second)).toBe(401)
		expect(await me(ada.token)).toBe(200)
	})

	test('sessions show the device, the country and the network, and when they were last used', async () => {
		const body = JSON.stringify({ email: ada.email, password: ada.password })
		const headers = {
			'content-type': 'application/json',
			'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
			'cf-connecting-ip': '203.0.113.77',
		}
		const cf = { country: 'NL' }
		const request = new Request(`https://edge.test${login.path}`, {
			method: 'POST',
			headers,
			body,
			cf,
		} as never)
		world.pass(1)
		expect((await world.fetch(request)).status).toBe(200)
		const [newest, first] = (await world.ask(listSessions, {}, ada)).ok.data
		expect(newest).toMatchObject({
			device: 'Firefox on Windows',
			place: { country: 'NL', network: '203.0.113.0/24' },
			lastSeenAt: newest?.createdAt,
			impersonator: null,
		})
		expect(first).toMatchObject({ device: null, place: { country: null } })
	})

	test('no user lists or ends sessions of other users', async () => {
		const eve = await world.person()
		const [mine] = (await world.ask(listSessions, {}, ada)).ok.data
		expect((await world.ask(revokeSession, { params: { sessionId: mine?.id ?? '' } }, eve)).status).toBe(404)
		expect(await me(ada.token)).toBe(200)
	})

	test('one call ends all sessions but the current one, even impersonations, after a recent proof', {
		tags: 'd1',
	}, async () => {
		// The first account is a superadmin, whom nobody can impersonate.
		const bob = await world.person()
		const others = [await world.logIn(bob), await world.logIn(bob)]
		const about = { userId: bob.userId, orgId: bob.orgId, reason: 'Asked for by ticket' }
		const { token } = (await world.ask(impersonate, { body: about }, ada)).ok.data
		world.pass(10 * MINUTE)
		const end = () => world.ask(revokeOtherSessions, {}, bob)
		expect((await end()).code).toBe('reauthentication_required')
		await world.ask(reauthenticate, { body: { password: bob.password } }, bob)
		expect((await end()).ok.data).toEqual({ revoked: 3 })
		expect(await Promise.all([...others, token].map(me))).toEqual([401, 401, 401])
		expect([await me(bob.token), await me(ada.token)]).toEqual([200, 200])
		expect((await end()).ok.data).toEqual({ revoked: 0 })
	})

	test('a logout ends the session', async () => {
		expect((await world.ask(logout, {}, ada)).status).toBe(200)
		expect(await me(ada.token)).toBe(401)
		expect((await world.ask(refreshToken, {}, ada)).status).toBe(401)
	})

	test('sessions update their last use without a write per request', async () => {
		const quiet = await world.ask(getMe, {}, ada)
		expect(quiet.statements.some((sql) => sql.startsWith('update'))).toBe(false)
		world.pass(6 * 60_000)
		await world.ask(getMe, {}, ada)
		const [session] = (await world.ask(listSessions, {}, ada)).ok.data
		expect(session?.lastSeenAt).toContain('2037-11-21T12:06:00')
	})
})

describe('a session token', () => {
	test('a session token expires after 24 hours and can be renewed while its session lasts', async () => {
		world.pass(24 * HOUR + 31_000)
		expect(await me(ada.token)).toBe(401)
		const renewed = await world.ask(refreshToken, {}, ada)
		expect(renewed.status).toBe(200)
		expect(await me(renewed.ok.data.token)).toBe(200)
	})

	test('a session token cannot be renewed after its session was idle for 30 days', async () => {
		world.pass(20 * DAY)
		const renewed = await world.ask(refreshToken, {}, ada)
		world.pass(29 * DAY)
		const again = await world.ask(refreshToken, {}, renewed.ok.data)
		expect(again.status).toBe(200)
		world.pass(30 * DAY)
		expect((await world.ask(refreshToken, {}, again.ok.data)).status).toBe(401)
	})

	test('a session token cannot be renewed a second time, and the attempt ends the session', async () => {
		const renewed = (await world.ask(refreshToken, {}, ada)).ok.data
		world.pass(MINUTE)
		expect((await world.ask(refreshToken, {}, ada)).status).toBe(401)
		expect(await me(renewed.token)).toBe(401)
		expect((await world.ask(refreshToken, {}, renewed)).status).toBe(401)
	})

	test('a session token older than the latest renewal cannot be renewed, even right after a renewal', async () => {
		const second = (await world.ask(refreshToken, {}, ada)).ok.data
		const third = (await world.ask(refreshToken, {}, second)).ok.data
		expect((await world.ask(refreshToken, {}, ada)).status).toBe(401)
		expect(await me(third.token)).toBe(401)
	})

	test('a repeated renewal of a session token within a minute returns the same token', async () => {
		const lost = (await world.ask(refreshToken, {}, ada)).ok.data
		const again = (await world.ask(refreshToken, {}, ada)).ok.data
		const next = (await world.ask(refreshToken, {}, again)).ok.data
		expect((await world.ask(refreshToken, {}, lost)).status).toBe(200)
		world.pass(MINUTE)
		expect((await world.ask(refreshToken, {}, lost)).status).toBe(401)
		expect(await me(next.token)).toBe(401)
	})

	test('concurrent renewals of a session token return one renewal', async () => {
		const answers = await Promise.all(Array.from({ length: 8 }, () => world.ask(refreshToken, {}, ada)))
		expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
		const ids = answers.map(({ ok }) => renewalIdIn(ok.data.token))
		expect(new Set(ids).size).toBe(1)
		expect(ids[0]).not.toBe(renewalIdIn(ada.token))
	})

	test('a session token keeps its renewal id when the user switches the organization', async () => {
		await world.ask(refreshToken, {}, ada)
		world.pass(MINUTE)
		const switched = await world.ask(switchOrg, { body: { orgId: ada.orgId } }, ada)
		expect((await world.ask(refreshToken, {}, switched.ok.data)).status).toBe(401)
	})

	test('a session token expires 90 days after sign-in at the latest, however often it is renewed', async () => {
		let { token } = ada
		for (let day = 0; day < 80; day += 20) {
			world.pass(20 * DAY)
			token = (await world.ask(refreshToken, {}, { token })).ok.data.token
		}
		world.pass(9 * DAY + 12 * HOUR)
		const last = (await world.ask(refreshToken, {}, { token })).ok.data
		const [session] = (await world.ask(listSessions, {}, last)).ok.data
		expect(Date.parse(session?.expiresAt ?? '') - Date.parse(session?.createdAt ?? '')).toBe(90 * DAY)
		expect(last.expiresAt).toBe(session?.expiresAt)
		world.pass(12 * HOUR)
		expect(await me(last.token)).toBe(401)
		expect((await world.ask(refreshToken, {}, last)).status).toBe(401)
	})

	test('a session token is rejected after a change of any one character', async () => {
		const { token } = ada
		for (let i = 0; i < token.length; i += 7) {
			const changed = token.slice(0, i) + (token[i] === 'A' ? 'B' : 'A') + token.slice(i + 1)
			// The last character of base64url may hold unused bits.
			if (changed !== token && i < token.length - 1) expect(await me(changed), `character ${i}`).toBe(401)
		}
	})

	test('a session token is rejected without algorithm or expiry, and for another audience or issuer', async () => {
		const { SignJWT, UnsecuredJWT } = await import('jose')
		const claims = { typ: 'session', sub: String(ada.userId), sid: 'ses_x', org: ada.orgId, tv: 1 }
		const key = await world.deps(async (d) => d.secrets?.key('session-token'))
		const sign = () => new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).setIssuedAt(world.now / 1000)
		const tokens = [
			new UnsecuredJWT(claims).setIssuer('playhouse').setAudience('session').setExpirationTime('1h').encode(),
			await sign()
				.setIssuer('playhouse')
				.setAudience('upload')
				.setExpirationTime('99y')
				.sign(key as CryptoKey),
			await sign()
				.setIssuer('playhouse')
				.setAudience('session')
				.sign(key as CryptoKey),
			await sign()
				.setIssuer('elsewhere')
				.setAudience('session')
				.setExpirationTime('99y')
				.sign(key as CryptoKey),
			'a.b.c',
			'x'.repeat(5_000),
		]
		for (const token of tokens) {
			expect(await me(token)).toBe(401)
			expect((await world.ask(refreshToken, {}, { token })).status).toBe(401)
		}
	})
})
