import { beforeEach, describe, expect, test } from 'vitest'
import { changePassword, login } from '#schema/contract/accounts/identity.ts'
import { logout } from '#schema/contract/accounts/sessions.ts'
import { allOperations } from '#schema/contract/index.ts'
import type { Auth, Operation } from '#schema/contract/kit/operation.ts'
import { createAsset } from '#schema/contract/video/assets.ts'
import { DAY, HOUR, MINUTE } from '../../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { openCommunity } from '../../community/community.ts'

const OWN = { 'sec-fetch-site': 'same-origin' }
const PAGE = { ...OWN, 'x-playhouse-page': '1' }
const sessionCookie = (token: string) => ({ cookie: `__Host-session=${token}` })

let world: World
/** The first person of an installation is a superadmin. */
let root: Person
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	root = await world.person()
	ada = await world.person()
})

type Headers_ = Record<string, string>
const send = (method: string, path: string, headers: Headers_, body?: object) =>
	world.fetch(
		new Request(`https://edge.test${path}`, {
			method,
			headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
			body: body ? JSON.stringify(body) : null,
		}),
	)
const readMe = (headers: Headers_) => send('GET', '/v1/auth/me', headers)
const create = (headers: Headers_) => send('POST', '/v1/assets', headers, { title: 'Film' })
const logIn = (headers: Headers_) =>
	send('POST', '/v1/auth/login', headers, { email: ada.email, password: ada.password })
const tokenIn = async (response: Response) =>
	((await response.json()) as { data: { token: string } }).data.token
const setCookies = (response: Response) =>
	response.headers.getSetCookie().filter((line) => !line.startsWith('__Host-device-'))

const cleared = [
	'__Host-session=; Path=/; Max-Age=0; Secure; SameSite=Strict; HttpOnly',
	'__Host-signed-in=; Path=/; Max-Age=0; Secure; SameSite=Strict',
]

describe('the sign-in of a page', () => {
	test('a sign-in by a page of the installation returns no token and sets a cookie that scripts can’t read', async () => {
		const response = await logIn(PAGE)
		const [line = '', ...others] = setCookies(response)
		const attributes = 'Path=/; Max-Age=7776000; Secure; SameSite=Strict'
		expect([response.status, await tokenIn(response)]).toEqual([200, ''])
		expect(line.replace(/[\w.-]{100,}/, 'TOKEN')).toBe(`__Host-session=TOKEN; ${attributes}; HttpOnly`)
		expect(others).toEqual([`__Host-signed-in=1; ${attributes}`])
		const cookie = line.slice(0, line.indexOf(';'))
		expect((await readMe({ ...OWN, cookie })).status).toBe(200)
	})

	test.each<Headers_>([
		{},
		OWN,
		{ 'x-playhouse-page': '1' },
		{ 'x-playhouse-page': '1', 'sec-fetch-site': 'same-site' },
		{ 'x-playhouse-page': '1', 'sec-fetch-site': 'cross-site' },
		{ 'x-playhouse-page': '1', 'sec-fetch-site': 'none' },
		{ 'x-playhouse-page': '1', origin: 'https://elsewhere.example' },
		{ 'x-playhouse-page': '0', 'sec-fetch-site': 'same-origin' },
	])('a sign-in with the headers %o returns the token and sets no session cookie', async (headers) => {
		const response = await logIn(headers)
		expect([response.status, setCookies(response)]).toEqual([200, []])
		expect(await tokenIn(response)).not.toBe('')
	})

	test('a browser without Sec-Fetch-Site signs in by the Origin header of the installation', async () => {
		const response = await logIn({ 'x-playhouse-page': '1', origin: 'https://edge.test' })
		expect([await tokenIn(response), setCookies(response).length]).toEqual(['', 2])
	})

	test('every operation that returns a session token puts it into the cookie for a page', () => {
		const signsIn = (op: Operation) => {
			const data = (op.response as { shape?: { data?: { shape?: object } } })?.shape?.data?.shape ?? {}
			return 'token' in data && ('user' in data || 'impersonation' in data)
		}
		expect(allOperations.filter((op) => op.signsIn).map(({ id }) => id)).toEqual(
			allOperations.filter(signsIn).map(({ id }) => id),
		)
		expect(allOperations.filter(signsIn)).toHaveLength(11)
	})

	test('a wrong password of a page sets no cookie', async () => {
		const body = { email: ada.email, password: 'not this password' }
		const response = await send('POST', '/v1/auth/login', PAGE, body)
		expect([response.status, setCookies(response)]).toEqual([401, []])
	})
})

describe('a session cookie', () => {
	test.each<[string, Headers_, number, number]>([
		['same-origin', OWN, 200, 401],
		['same-origin with the header of pages', PAGE, 200, 201],
		['same-site', { ...PAGE, 'sec-fetch-site': 'same-site' }, 401, 401],
		['cross-site', { ...PAGE, 'sec-fetch-site': 'cross-site' }, 401, 401],
		['none, as for a typed address', { ...PAGE, 'sec-fetch-site': 'none' }, 401, 401],
		['no Sec-Fetch-Site and no Origin', { 'x-playhouse-page': '1' }, 401, 401],
		['only its own Origin', { 'x-playhouse-page': '1', origin: 'https://edge.test' }, 200, 201],
		['only a foreign Origin', { 'x-playhouse-page': '1', origin: 'https://edge.test:8443' }, 401, 401],
	])('a session cookie from %s reads %o', async (_, headers, read, write) => {
		const withCookie = { ...headers, ...sessionCookie(ada.token) }
		expect([(await readMe(withCookie)).status, (await create(withCookie)).status]).toEqual([read, write])
	})

	test('a session cookie with another credential is rejected where the cookie would count', async () => {
		const both = { ...PAGE, ...sessionCookie(ada.token), authorization: `Bearer ${ada.token}` }
		const refresh = await send('POST', '/v1/auth/refresh', both)
		for (const response of [await readMe(both), await create(both), refresh])
			expect([response.status, response.headers.get('x-error-code')]).toEqual([400, 'bad_credentials_mix'])
		const foreign = { ...both, 'sec-fetch-site': 'cross-site' }
		expect((await create(foreign)).status).toBe(201)
	})

	test('a session cookie counts for no operation of programs', async () => {
		const auths = new Set<Auth>(['upload', 'machine', 'registration', 'headless-auth', 'metrics'])
		const operations = allOperations.filter(({ auth }) => auths.has(auth))
		expect(new Set(operations.map(({ auth }) => auth))).toEqual(auths)
		for (const { id, method, path } of operations) {
			if (method === 'options') continue
			const url = path.replaceAll(/\{\w+\}/g, '1')
			const headers = { ...PAGE, ...sessionCookie(ada.token) }
			const { status } = await send(method.toUpperCase(), url, headers)
			expect([id, [401, 404, 501].includes(status)]).toEqual([id, true])
		}
	})

	test('a session cookie signs in a member of a community on pages of the installation', async () => {
		const community = await openCommunity(world)
		const headers = { ...OWN, ...sessionCookie(community.owner.token) }
		expect((await send('GET', '/api/headless/v1/spaces', headers)).status).toBe(200)
	})

	test('responses to a session cookie are never stored by shared caches', async () => {
		for (const path of ['/v1/auth/me', '/v1/assets']) {
			const response = await send('GET', path, { ...OWN, ...sessionCookie(ada.token) })
			expect(response.headers.get('cache-control')).toBe('private, no-store')
		}
	})

	test('a cookie whose session has ended is cleared by the 401', async () => {
		const headers = { ...PAGE, ...sessionCookie(ada.token) }
		const left = await send('POST', '/v1/auth/logout', headers)
		expect([left.status, setCookies(left)]).toEqual([200, cleared])
		const refused = await readMe(headers)
		expect([refused.status, setCookies(refused)]).toEqual([401, cleared])
		expect(setCookies(await readMe({ authorization: `Bearer ${ada.token}` }))).toEqual([])
	})

	test('CORS never allows the header of pages, or cookies, to another origin', async () => {
		world.set({ CORS_ORIGINS: 'https://app.example.org' })
		const response = await send('OPTIONS', '/v1/auth/login', {
			origin: 'https://app.example.org',
			'access-control-request-method': 'POST',
		})
		expect(response.headers.get('access-control-allow-headers')?.toLowerCase()).not.toContain('page')
		expect(response.headers.get('access-control-allow-credentials')).toBeNull()
	})
})

describe('the renewal of a session cookie', () => {
	const cookieFrom = (response: Response) => setCookies(response)[0]?.split(';')[0]

	test('a session cookie is renewed in its last 12 hours by the request that notices, and not before', async () => {
		const headers = { ...OWN, ...sessionCookie(ada.token) }
		world.pass(11 * HOUR)
		expect(setCookies(await readMe(headers))).toEqual([])
		world.pass(2 * HOUR)
		const renewed = cookieFrom(await readMe(headers)) ?? ''
		expect(renewed).toMatch(/^__Host-session=/)
		world.pass(13 * HOUR)
		expect((await readMe(headers)).status).toBe(401)
		const next = await readMe({ ...OWN, cookie: renewed })
		expect([next.status, setCookies(next).length]).toEqual([200, 2])
	})

	test('a cookie whose token expired days ago is renewed by the next request, and an error carries it, too', async () => {
		const headers = { ...OWN, ...sessionCookie(ada.token) }
		world.pass(25 * HOUR)
		const first = await send('GET', '/v1/assets/ast_00000000000000000000000000', headers)
		expect(first.status).toBe(404)
		const cookie = cookieFrom(first) ?? ''
		expect(cookie).toMatch(/^__Host-session=[\w.-]{100,}$/)
		expect((await readMe({ ...OWN, cookie })).status).toBe(200)
		world.pass(29 * DAY)
		const second = await create({ ...PAGE, cookie })
		expect([second.status, setCookies(second).length]).toEqual([201, 2])
		const other = { authorization: `Bearer ${ada.token}` }
		expect((await readMe(other)).status).toBe(401)
	})

	test('an expired cookie that was replaced more than a minute ago is rejected, and the session goes on', async () => {
		const headers = { ...OWN, ...sessionCookie(ada.token) }
		world.pass(25 * HOUR)
		const answers = await Promise.all(Array.from({ length: 8 }, () => readMe(headers)))
		expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
		world.pass(2 * MINUTE)
		expect((await readMe(headers)).status).toBe(401)
		for (const answer of answers)
			expect((await readMe({ ...OWN, cookie: cookieFrom(answer) ?? '' })).status).toBe(200)
	})

	test.each<[string, () => Promise<unknown>]>([
		['30 idle days', async () => world.pass(30 * DAY)],
		['the sign-out', () => world.ask(logout, {}, ada)],
		[
			'a change of the password',
			() =>
				world.ask(
					changePassword,
					{ body: { currentPassword: ada.password, newPassword: 'another good password' } },
					ada,
				),
		],
	])('an expired cookie is cleared after %s', async (_, end) => {
		await end()
		world.pass(25 * HOUR)
		const refused = await readMe({ ...OWN, ...sessionCookie(ada.token) })
		expect([refused.status, setCookies(refused)]).toEqual([401, cleared])
	})

	test('a session ends 90 days after the sign-in, however often its cookie was renewed', async () => {
		let cookie = sessionCookie(ada.token).cookie
		for (let day = 0; day < 80; day += 20) {
			world.pass(20 * DAY)
			cookie = cookieFrom(await readMe({ ...OWN, cookie })) ?? ''
			expect(cookie).toMatch(/^__Host-session=/)
		}
		world.pass(11 * DAY)
		expect((await readMe({ ...OWN, cookie })).status).toBe(401)
	})

	test('the last requests of a session renew its cookie no more, and change no row', async () => {
		let cookie = sessionCookie(ada.token).cookie
		for (const days of [29, 29, 29, 2]) {
			world.pass(days * DAY)
			cookie = cookieFrom(await readMe({ ...OWN, cookie })) ?? ''
			expect(cookie).toMatch(/^__Host-session=/)
		}
		world.pass(14 * HOUR)
		const last = cookieFrom(await readMe({ ...OWN, cookie })) ?? cookie
		world.pass(HOUR)
		await readMe({ ...OWN, cookie: last })
		const before = (await world.dump()).sessions
		const late = await readMe({ ...OWN, cookie: last })
		expect([late.status, setCookies(late)]).toEqual([200, []])
		expect((await world.dump()).sessions).toEqual(before)
		world.pass(10 * HOUR)
		expect((await readMe({ ...OWN, cookie: last })).status).toBe(401)
	})

	test('parallel and late requests with an old cookie keep the session', async () => {
		const headers = { ...OWN, ...sessionCookie(ada.token) }
		world.pass(13 * HOUR)
		const responses = await Promise.all(Array.from({ length: 8 }, () => readMe(headers)))
		expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
		const cookies = responses.map(cookieFrom)
		world.pass(2 * MINUTE)
		const late = await readMe(headers)
		expect([late.status, setCookies(late)]).toEqual([200, []])
		for (const cookie of cookies) expect((await readMe({ ...OWN, cookie: cookie ?? '' })).status).toBe(200)
	})

	test('a page renews its cookie by hand, too, and a program its token as before', async () => {
		const refreshed = await send('POST', '/v1/auth/refresh', { ...PAGE, ...sessionCookie(ada.token) })
		expect([refreshed.status, await tokenIn(refreshed), setCookies(refreshed).length]).toEqual([200, '', 2])
		const again = await world.ask(login, { body: { email: ada.email, password: ada.password } })
		expect(again.ok.data.token).not.toBe('')
	})
})

describe('an impersonation on a page', () => {
	test('an impersonation has a cookie of its own, and its end returns to the superadmin', async () => {
		const body = { userId: ada.userId, orgId: ada.orgId, reason: 'Asked for by ticket' }
		const own = sessionCookie(root.token)
		const started = await send('POST', '/v1/admin/impersonate', { ...PAGE, ...own }, body)
		const [line = ''] = setCookies(started)
		expect([started.status, await tokenIn(started)]).toEqual([201, ''])
		expect(line).toMatch(/^__Host-acting=[\w.-]+; Path=\/; Max-Age=3600; /)
		const cookie = `${own.cookie}; ${line.slice(0, line.indexOf(';'))}`
		const meOf = async (headers: Headers_) =>
			((await (await readMe(headers)).json()) as { data: { user: { id: number } } }).data.user.id
		expect(await meOf({ ...OWN, cookie })).toBe(ada.userId)
		const signedIn = await logIn({ ...PAGE, cookie })
		const [, , actingLine] = setCookies(signedIn)
		expect([signedIn.status, actingLine]).toEqual([
			200,
			expect.stringMatching(/^__Host-acting=; .*Max-Age=0/),
		])
		const ended = await send('POST', '/v1/auth/logout', { ...PAGE, cookie })
		expect(setCookies(ended)).toEqual([expect.stringMatching(/^__Host-acting=; .*Max-Age=0/)])
		expect(await meOf({ ...OWN, ...own })).toBe(root.userId)
	})
})

describe('reads by cookie', () => {
	test('no GET operation changes a row when a page of a superadmin sends it', async () => {
		world = await openWorld()
		// The first person of an installation is a superadmin.
		const community = await openCommunity(world)
		const owner = community.owner
		const film = (await world.ask(createAsset, { body: { title: 'Film' } }, owner)).ok.data
		const ids: Record<string, string> = {
			assetId: film.id,
			orgId: owner.orgId,
			userId: String(owner.userId),
			communityId: String(community.id),
		}
		const before = await world.dump()
		const statuses: Record<number, string[]> = {}
		for (const { id, method, path } of allOperations) {
			if (method !== 'get') continue
			const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '1')
			const response = await send('GET', url, { ...OWN, ...sessionCookie(owner.token) })
			await response.body?.cancel()
			statuses[response.status] = [...(statuses[response.status] ?? []), id]
		}
		const { 200: read = [], 401: refused, 403: forbidden, 500: broken } = statuses
		expect({ refused, forbidden, broken }).toEqual({ refused: ['connectMachine'] })
		expect(read.length).toBeGreaterThan(90)
		expect(await world.dump()).toEqual(before)
	})
})
