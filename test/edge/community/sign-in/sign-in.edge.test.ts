import { beforeEach, describe, expect, test } from 'vitest'
import { suspendOrg } from '#schema/contract/accounts/suspension.ts'
import {
	deleteIdentityProvider,
	updateIdentityProvider,
} from '#schema/contract/community/manage/identity-providers.ts'
import { updateCommunityMember } from '#schema/contract/community/manage/memberships.ts'
import { getCurrentMember } from '#schema/contract/community/member/members.ts'
import { refreshMemberToken, revokeMemberRefreshToken } from '#schema/contract/community/member/tokens.ts'
import { getPublicCommunity } from '#schema/contract/watch/settings/public-community.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { openProvider } from '../../../support/shared/identity/open-provider.ts'
import { type Community, openCommunity, select } from '../community.ts'
import { addProvider, exchange, FRONT, openBrowser, readOutcome } from './browser.ts'

let world: World
let root: Person
let community: Community
let provider: Awaited<ReturnType<typeof openProvider>>
let providerId: number
beforeEach(async () => {
	provider = await openProvider(() => world.now)
	world = await openWorld({}, { fetchPublic: (url, init) => provider.handle(url, init) })
	root = await world.person()
	community = await openCommunity(world)
	providerId = (await addProvider(world, community)).id
})

const browser = () => openBrowser(world, provider, providerId)
const members = () =>
	select<object>(
		world,
		`select m.sso_user_id as sso, m.role, m.status, m.email, u.name, u.email as account
			from memberships m join users u on u.id = m.user_id where m.role <> 'owner' order by m.id`,
	)
const ada = () => ({
	sso: `oidc:${providerId}:ada`,
	role: 'member',
	status: 'active',
	email: 'ada@example.org',
	name: 'Ada',
	account: null,
})

describe('signing in to a community with an OpenID provider', () => {
	test('a person who signs in for the first time becomes a managed member and gets tokens', async () => {
		const { ok } = await world.ask(getPublicCommunity, {}, { headers: community.headers })
		expect(ok.sign_in.at(-1)).toEqual({
			kind: 'oidc',
			label: 'School login',
			url: `https://edge.test/api/headless/v1/sign_in/${providerId}`,
		})
		const { code, ...rest } = await browser().signIn()
		expect(rest).toEqual({ tab: '1' })
		const tokens = (await exchange(world, code)).ok
		const me = { token: tokens.access_token, headers: community.headers }
		expect((await world.ask(getCurrentMember, {}, me)).ok).toMatchObject({ name: 'Ada', role: 'member' })
		expect(await members()).toEqual([ada()])
		const refresh = { body: { refresh_token: tokens.refresh_token } }
		expect((await world.ask(refreshMemberToken, refresh)).status).toBe(200)
	})

	test('a person who signs in again is the same member, and keeps the name that they have', async () => {
		await browser().signIn()
		await world.ask(
			updateCommunityMember,
			{ params: { communityId: String(community.id), memberId: '2' } as never, body: { headline: 'First' } },
			community.owner,
		)
		provider.person = { ...provider.person, name: 'Other', email: 'other@example.org' }
		const again = await exchange(world, (await browser().signIn()).code)
		expect(again.ok.community_member_id).toBe(2)
		expect(await members()).toEqual([ada()])
	})

	test('two browsers of a new person at once make one member', async () => {
		const outcomes = await Promise.all([browser().signIn(), browser().signIn(), browser().signIn()])
		const tokens = await Promise.all(outcomes.map(({ code }) => exchange(world, code)))
		expect(new Set(tokens.map(({ ok }) => ok.community_member_id)).size).toBe(1)
		expect(await members()).toEqual([ada()])
	})

	test('two tabs of a browser can sign in at the same time, and a browser keeps its newest five sign-ins', async () => {
		const visitor = browser()
		const starts: URL[] = []
		for (let i = 0; i < 7; i++) {
			const { headers } = await visitor.start(`${FRONT}/${i}`)
			starts.push(await provider.authorize(headers.get('location') ?? ''))
			expect(visitor.cookie.split('; ')).toHaveLength(Math.min(i + 1, 5))
		}
		for (const [i, back] of starts.entries()) {
			const finished = await visitor.finish(back)
			expect(finished.status, `tab ${i}`).toBe(i < 2 ? 400 : 303)
			if (i >= 2) expect(finished.headers.get('location')).toMatch(`${FRONT}/${i}?code=`)
		}
		expect(visitor.cookie).toBe('')
	})

	test('a sign-in works with a provider that accepts the client secret only in the body', async () => {
		provider.discovery = { token_endpoint_auth_methods_supported: ['client_secret_post'] }
		expect(await browser().signIn()).toHaveProperty('code')
		expect(await members()).toEqual([ada()])
	})

	test.each([
		['the user name without a name', { name: undefined, preferred_username: 'ada99' }, 'ada99'],
		['the user name instead of one that can’t be shown', { name: ' ', preferred_username: 'ada99' }, 'ada99'],
		['Member without any name', { name: undefined }, 'Member'],
	])('a person is called %s', async (_, claims, name) => {
		provider.claims = claims
		await browser().signIn()
		expect(await members()).toEqual([{ ...ada(), name }])
	})

	test('a sign-in rejects a person whose id at the provider is too long, and names the reason', async () => {
		provider.person = { ...provider.person, sub: 's'.repeat(255 - `oidc:${providerId}:`.length) }
		expect(await browser().signIn()).toHaveProperty('code')
		provider.person = { ...provider.person, sub: `${provider.person.sub}s` }
		expect(await browser().signIn()).toMatchObject({
			error: 'access_denied',
			error_description: expect.stringContaining('too long'),
		})
		expect(await members()).toHaveLength(1)
	})

	test('an address that the provider has not verified is not stored', async () => {
		provider.person = { sub: 'ada', name: 'Ada', email: root.email, email_verified: false }
		await browser().signIn()
		expect(await members()).toEqual([{ ...ada(), email: null }])
	})

	test('a person whose address belongs to an account does not become that account', async () => {
		provider.person = { ...provider.person, email: root.email }
		const { ok } = await exchange(world, (await browser().signIn()).code)
		const [member] = await select<{ id: number; managed: number }>(
			world,
			`select u.id, u.managed_key is not null as managed from memberships m join users u on u.id = m.user_id
				where m.id = ${ok.community_member_id}`,
		)
		expect(member).toMatchObject({ managed: 1 })
		expect(member?.id).not.toBe(root.userId)
	})

	test('a member with an account can’t be signed in by a provider', async () => {
		await community.member({ sso_user_id: `oidc:${providerId}:ada` })
		expect(await browser().signIn()).toMatchObject({ error: 'access_denied' })
	})

	test.each(['banned', 'inactive'])('a member who is %s stays out', async (status) => {
		await browser().signIn()
		await select(world, `update memberships set status = '${status}' where id = 2 returning 1`)
		expect(await browser().signIn()).toEqual({
			tab: '1',
			error: 'access_denied',
			error_description: `your membership is ${status}`,
		})
	})

	test('a provider for members only adds nobody and signs its members in', async () => {
		await browser().signIn()
		const params = { communityId: String(community.id), providerId: String(providerId) } as never
		await world.ask(updateIdentityProvider, { params, body: { joining: 'members' } }, community.owner)
		expect(await browser().signIn()).toHaveProperty('code')
		provider.person = { sub: 'eve', name: 'Eve' }
		expect(await browser().signIn()).toMatchObject({ error: 'access_denied' })
		expect(await members()).toHaveLength(1)
	})

	test('nobody signs in with a deleted provider, or at a suspended organization', async () => {
		const { headers } = await browser().start()
		expect(headers.get('set-cookie')).toMatch(/; Secure; HttpOnly; SameSite=Lax$/)
		const suspension = { params: { orgId: community.orgId }, body: { reason: 'abuse' as const } }
		const code = (await browser().signIn()).code
		await world.ask(suspendOrg, suspension, root)
		expect((await browser().start()).code).toBe('org_suspended')
		expect((await exchange(world, code)).code).toBe('org_suspended')
		await select(world, 'update orgs set suspended_at = null returning 1')
		const params = { communityId: String(community.id), providerId: String(providerId) } as never
		await world.ask(deleteIdentityProvider, { params }, community.owner)
		expect((await browser().start()).status).toBe(404)
	})

	test('a sign-in costs as many statements in a community with many members as in an empty one', async () => {
		const count = async (sub: string) => {
			provider.person = { sub, name: sub }
			const visitor = browser()
			const started = await visitor.start()
			const back = await provider.authorize(started.headers.get('location') ?? '')
			const finished = await visitor.finish(back)
			const exchanged = await exchange(world, readOutcome(finished).code)
			return [started, finished, exchanged].map(({ statements }) => statements.length)
		}
		const few = await count('first')
		for (let i = 0; i < 30; i++) await community.member({ sso_user_id: `sso-${i}` })
		expect(await count('last')).toEqual(few)
		expect((await count('last'))[1]).toBe(3)
	})
})

describe('the code of a sign-in', () => {
	test('a code works once, and its second use revokes the tokens of the first', async () => {
		const { code = '' } = await browser().signIn()
		const { ok } = await exchange(world, code)
		expect((await exchange(world, code)).status).toBe(401)
		const me = { token: ok.access_token, headers: community.headers }
		expect((await world.ask(getCurrentMember, {}, me)).status).toBe(401)
	})

	test('concurrent exchanges of a code give tokens to one caller, and the others revoke them', async () => {
		const { code = '' } = await browser().signIn()
		const answers = await Promise.all([exchange(world, code), exchange(world, code), exchange(world, code)])
		expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401])
		const token = answers.find(({ status }) => status === 200)?.ok.access_token ?? ''
		expect((await world.ask(getCurrentMember, {}, { token, headers: community.headers })).status).toBe(401)
	})

	test('a used code revokes no tokens after its minute, whichever operation gets the code', async () => {
		const { code = '' } = await browser().signIn()
		const { ok } = await exchange(world, code)
		const refresh = (token: string) => world.ask(refreshMemberToken, { body: { refresh_token: token } })
		expect((await refresh(code)).status).toBe(401)
		world.pass(61_000)
		expect((await exchange(world, code)).status).toBe(401)
		expect((await exchange(world, code, 'w'.repeat(43))).status).toBe(401)
		expect((await refresh(code)).status).toBe(401)
		await world.ask(revokeMemberRefreshToken, { body: { refresh_token: code } })
		expect((await refresh(ok.refresh_token)).status).toBe(200)
	})

	test('a used code with another verifier revokes its tokens within its minute', async () => {
		const { code = '' } = await browser().signIn()
		const { ok } = await exchange(world, code)
		expect((await exchange(world, code, 'w'.repeat(43))).status).toBe(401)
		const refresh = { body: { refresh_token: ok.refresh_token } }
		expect((await world.ask(refreshMemberToken, refresh)).status).toBe(401)
	})

	test('a code is worthless with another verifier, after a minute, and as a refresh token', async () => {
		const stolen = (await browser().signIn()).code
		expect((await exchange(world, stolen, 'w'.repeat(43))).status).toBe(401)
		const late = (await browser().signIn()).code
		world.pass(61_000)
		expect((await exchange(world, late)).status).toBe(401)
		const { code = '' } = await browser().signIn()
		expect((await world.ask(refreshMemberToken, { body: { refresh_token: code } })).status).toBe(401)
	})
})

describe('the page that a sign-in returns to', () => {
	test.each([
		['another origin', 'https://evil.example.org/welcome'],
		['a host that begins like the listed one', 'https://club.example.org.evil.example/'],
		['a listed host behind a user name', 'https://club.example.org@evil.example/'],
		['a user name before the listed host', 'https://user:pass@club.example.org/'],
		['plain http', 'http://club.example.org/'],
		['another port', 'https://club.example.org:8443/'],
	])('a sign-in refuses to return to %s', async (_, returnTo) => {
		expect((await browser().start(returnTo)).code).toBe('validation')
	})

	test('a sign-in that starts at a host of the community redirects to the host of the API first', async () => {
		world.set({ PUBLIC_URL: 'https://api.example.com' })
		await select(
			world,
			`update communities set custom_domain = 'own.example.org', domain_verified_at = 1 where id = ${community.id} returning 1`,
		)
		const query = new URLSearchParams({ return_to: `${FRONT}/`, code_challenge: 'c'.repeat(43) })
		const start = (host: string) =>
			world.fetch(new Request(`https://${host}/api/headless/v1/sign_in/${providerId}?${query}`))
		const moved = await start('own.example.org')
		expect([moved.status, moved.headers.get('set-cookie'), moved.headers.get('location')]).toEqual([
			...[303, null, `https://api.example.com/api/headless/v1/sign_in/${providerId}?${query}`],
		])
		for (const host of ['api.example.com', 'behind-a-proxy.internal']) {
			const started = await start(host)
			expect(started.headers.get('location'), host).toMatch(/^https:\/\/id\.example\.org\/authorize\?/)
			expect(started.headers.getSetCookie()).toHaveLength(1)
		}
	})

	test('a sign-in returns to the verified custom domain, and is refused once its origin was removed', async () => {
		await select(
			world,
			`update communities set custom_domain = 'own.example.org', domain_verified_at = 1 where id = ${community.id} returning 1`,
		)
		expect((await browser().start('https://own.example.org/')).status).toBe(303)
		const visitor = browser()
		const { headers } = await visitor.start(FRONT)
		await select(world, 'delete from allowed_origins returning 1')
		const back = await provider.authorize(headers.get('location') ?? '')
		expect((await visitor.finish(back)).status).toBe(400)
	})
})
