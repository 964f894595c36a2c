import { beforeEach, describe, expect, test } from 'vitest'
import { getAllowedOrigins, replaceAllowedOrigins } from '#schema/contract/accounts/allowed-origins.ts'
import { deleteCommunity } from '#schema/contract/community/manage/communities.ts'
import { getCommunityOrigins, replaceCommunityOrigins } from '#schema/contract/community/manage/origins.ts'
import { allOperations } from '#schema/contract/index.ts'
import type { Auth, Operation } from '#schema/contract/kit/operation.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { openCommunity, select } from '../../community/community.ts'

const DASHBOARD = 'https://dashboard.example.org'
const FRONT_END = 'https://community.example.org'
const STRANGE = 'https://elsewhere.example'

let world: World
let community: Awaited<ReturnType<typeof openCommunity>>

beforeEach(async () => {
	world = await openWorld({ ENVIRONMENT: 'production', CORS_ORIGINS: 'https://operator.example' })
	community = await openCommunity(world)
})

const inCommunity = () => ({ params: { communityId: String(community.id) } })
const listForOrg = async (origins: string[]) =>
	world.ask(replaceAllowedOrigins, { body: { origins } }, community.owner)
const listForCommunity = async (origins: string[]) =>
	world.ask(replaceCommunityOrigins, { ...inCommunity(), body: { origins } }, community.owner)

const allowedFor = (response: Response) => response.headers.get('access-control-allow-origin')

/** Sends what a browser sends before a page of this origin may call the operation. */
async function preflight({ path, method }: Operation, origin: string) {
	const url = `https://edge.test${path.replaceAll(/\{\w+\}/g, '1')}`
	const headers = { origin, 'access-control-request-method': method.toUpperCase() }
	return allowedFor(await world.fetch(new Request(url, { method: 'OPTIONS', headers })))
}

const get = async (path: string, origin: string, headers: Record<string, string> = {}) =>
	world.fetch(new Request(`https://edge.test${path}`, { headers: { origin, ...headers } }))

/** An operation for each kind of caller. */
const operationByAuth = new Map<Auth, Operation>(
	allOperations.flatMap((op) => (op.anyOrigin || op.method === 'options' ? [] : [[op.auth, op]])),
)

describe('the allowed origins', () => {
	test('an organization’s pages may call what people call, a community’s pages what members call', async () => {
		await listForOrg([DASHBOARD])
		await listForCommunity([FRONT_END])
		const callable: Record<string, string> = {}
		for (const [auth, op] of operationByAuth) {
			const pages = [DASHBOARD, FRONT_END, STRANGE, 'https://operator.example']
			const allowed = await Promise.all(pages.map(async (page) => (await preflight(op, page)) === page))
			callable[auth] = ['organization', 'community', 'stranger', 'operator']
				.filter((_, i) => allowed[i])
				.join(' ')
		}
		expect(callable).toEqual({
			public: 'organization community operator',
			session: 'organization community operator',
			'unverified-session': 'organization community operator',
			renewal: 'organization community operator',
			member: 'organization community operator',
			read: 'organization operator',
			write: 'organization operator',
			admin: 'organization operator',
			'org-admin-person': 'organization operator',
			'headless-auth': 'operator',
			superadmin: 'operator',
			registration: 'operator',
			machine: 'operator',
			metrics: 'operator',
		})
	})

	test('a page of a listed origin can read responses and errors, and sends no cookies', async () => {
		await listForCommunity([FRONT_END])
		const me = await get('/v1/auth/me', FRONT_END, { authorization: `Bearer ${community.owner.token}` })
		expect([me.status, allowedFor(me)]).toEqual([200, FRONT_END])
		const refused = await get('/api/headless/v1/home', FRONT_END)
		expect([refused.status, allowedFor(refused)]).toEqual([401, FRONT_END])
		expect(refused.headers.get('access-control-expose-headers')).toContain('X-Error-Code')
		expect(refused.headers.get('access-control-allow-credentials')).toBeNull()
		expect(refused.headers.get('vary')).toContain('Origin')
	})

	test('the verified custom domain of a community is allowed without being listed', async () => {
		const domain = `update communities set custom_domain = 'my.example.net' where id = ${community.id} returning id`
		await select(world, domain)
		expect(
			(await world.ask(getCommunityOrigins, inCommunity(), community.owner)).ok.data.customDomainOrigin,
		).toBeNull()
		expect(allowedFor(await get('/v1/auth/me', 'https://my.example.net'))).toBeNull()
		await select(
			world,
			`update communities set domain_verified_at = 1 where id = ${community.id} returning id`,
		)
		await forgetOrigin('https://my.example.net')
		expect(allowedFor(await get('/v1/auth/me', 'https://my.example.net'))).toBe('https://my.example.net')
		for (const other of ['http://my.example.net', 'https://my.example.net:8443', 'https://a.my.example.net'])
			expect(allowedFor(await get('/v1/auth/me', other))).toBeNull()
		const { data } = (await world.ask(getCommunityOrigins, inCommunity(), community.owner)).ok
		expect(data).toEqual({ origins: [], customDomainOrigin: 'https://my.example.net' })
	})

	test('a list keeps its order, drops repetitions and is stored as browsers send origins', async () => {
		const sent = [
			'https://B.example:443/',
			'https://bücher.example',
			'http://localhost:5173',
			'https://b.example',
		]
		const stored = ['https://b.example', 'https://xn--bcher-kva.example', 'http://localhost:5173']
		expect((await listForOrg(sent)).ok.data.origins).toEqual(stored)
		const shorter = [...stored.slice(1), DASHBOARD]
		expect((await listForOrg(shorter)).ok.data.origins).toEqual(shorter)
		expect((await world.ask(getAllowedOrigins, {}, community.owner)).ok.data.origins).toEqual(shorter)
		expect((await world.ask(getCommunityOrigins, inCommunity(), community.owner)).ok.data.origins).toEqual([])
	})

	test.each([
		'community.example.org',
		'https://community.example.org/path',
		'https://community.example.org/?',
		'https://ada@community.example.org',
		'https://*.example.org',
		'http://community.example.org',
		'https://192.168.0.1',
		'null',
		'chrome-extension://abcdef',
		'file:///',
		'*',
	])('a list with %s is rejected with the number of the entry', async (origin) => {
		const { status, error } = await listForOrg([DASHBOARD, origin])
		expect([status, error]).toEqual([400, expect.stringContaining('origins.1')])
	})

	test('a removed origin is refused everywhere after a minute at the latest', async () => {
		await listForOrg([DASHBOARD])
		expect(allowedFor(await get('/v1/auth/me', DASHBOARD))).toBe(DASHBOARD)
		await listForOrg([])
		const kept = await cachedListing(DASHBOARD)
		expect(kept?.headers.get('cache-control')).toBe('public, max-age=60')
		await forgetOrigin(DASHBOARD)
		expect(allowedFor(await get('/v1/auth/me', DASHBOARD))).toBeNull()
	})

	test('the origins of a deleted community are refused', async () => {
		await listForCommunity([FRONT_END])
		await world.ask(deleteCommunity, inCommunity(), community.owner)
		expect(allowedFor(await get('/v1/auth/me', FRONT_END))).toBeNull()
		await world.deliver()
		expect(await select(world, 'select id from allowed_origins')).toEqual([])
	})

	test('the lists and domains of a suspended organization are refused', async () => {
		const domain = 'https://club.example.org'
		await select(
			world,
			`update communities set custom_domain = 'club.example.org', domain_verified_at = 1 where id = ${community.id} returning 1`,
		)
		await listForOrg([DASHBOARD])
		await listForCommunity([FRONT_END])
		for (const origin of [DASHBOARD, FRONT_END, domain])
			expect(allowedFor(await get('/v1/auth/me', origin))).toBe(origin)
		await select(world, `update orgs set suspended_at = 1 where id = '${community.owner.orgId}' returning 1`)
		for (const origin of [DASHBOARD, FRONT_END, domain]) {
			await forgetOrigin(origin)
			expect(allowedFor(await get('/v1/auth/me', origin))).toBeNull()
		}
	})

	test('browsers remember a preflight for a minute if a tenant lists the origin, and for a day if the operator does', async () => {
		await listForOrg([DASHBOARD])
		const maxAge = async (path: string, origin: string) => {
			const headers = { origin, 'access-control-request-method': 'GET' }
			const response = await world.fetch(
				new Request(`https://edge.test${path}`, { method: 'OPTIONS', headers }),
			)
			return response.headers.get('access-control-max-age')
		}
		expect(await maxAge('/v1/auth/me', DASHBOARD)).toBe('60')
		expect(await maxAge('/v1/auth/me', 'https://operator.example')).toBe('86400')
		expect(await maxAge('/v1/playback/abc', STRANGE)).toBe('86400')
		expect(await maxAge('/v1/auth/me', STRANGE)).toBeNull()
	})

	test('a hundred requests of a foreign page cost one statement, and requests without an origin none', async () => {
		await get('/health/live', STRANGE)
		const before = world.statements.length
		for (let i = 0; i < 100; i++) await get('/v1/auth/me', STRANGE)
		const lookups = () => world.statements.slice(before).filter((sql) => sql.includes('allowed_origins'))
		expect(lookups()).toHaveLength(1)
		await world.fetch(new Request('https://edge.test/v1/auth/me'))
		expect(lookups()).toHaveLength(1)
	})

	test('a failing database refuses foreign pages and still responds to the operator’s', async () => {
		const fault = (sql: string) => {
			if (sql.includes('allowed_origins')) throw new Error('the database is gone')
		}
		const foreign = await world.dieDuring(fault, () => get('/v1/auth/me', DASHBOARD))
		expect([foreign.status, allowedFor(foreign)]).toEqual([401, null])
		expect(allowedFor(await get('/v1/auth/me', 'https://operator.example'))).toBe('https://operator.example')
	})
})

const cacheAddress = (origin: string) =>
	`https://cache.playhouse.invalid/listed-origin/${encodeURIComponent(origin)}`
const cachedListing = (origin: string) => caches.default.match(cacheAddress(origin))
/** Passes the minute for which a location remembers an origin. */
const forgetOrigin = (origin: string) => caches.default.delete(cacheAddress(origin))
