import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { changePassword } from '#schema/contract/accounts/identity.ts'
import { deleteCommunity } from '#schema/contract/community/manage/communities.ts'
import { getCurrentMember } from '#schema/contract/community/member/members.ts'
import * as contract from '#schema/contract/community/member/tokens.ts'
import { allOperations } from '#schema/contract/index.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { openProvider } from '../../../support/shared/identity/open-provider.ts'
import { type Community, memberTokens, openCommunity, select } from '../community.ts'
import { addProvider, exchange as exchangeCode, openBrowser } from '../sign-in/browser.ts'

const HOUR = 3_600_000

let world: World
let community: Community
let key: string
let ada: Awaited<ReturnType<Community['member']>>
beforeEach(async () => {
	world = await openWorld()
	community = await openCommunity(world)
	key = await community.key()
	ada = await community.member({ sso_user_id: 'their-17' })
})

const exchange = (body: object, who: { key?: string; token?: string } = { key }) =>
	world.ask(contract.createMemberToken, { body: body as never }, who)
const me = (token: string, headers = {}) => world.ask(getCurrentMember, {}, { token, headers })
const refresh = (refresh_token: string) => world.ask(contract.refreshMemberToken, { body: { refresh_token } })

describe('member tokens', () => {
	test('issues tokens for a member named by member id, address or SSO id', { tags: 'd1' }, async () => {
		for (const body of [
			{ community_member_id: ada.memberId },
			{ email: ada.email.toUpperCase() },
			{ sso_user_id: 'their-17' },
		]) {
			const { ok, status } = await exchange(body)
			expect(status).toBe(200)
			expect(ok).toEqual({
				access_token: expect.any(String),
				access_token_expires_at: new Date(world.now + HOUR).toISOString(),
				refresh_token: expect.stringMatching(/^[\w-]{44}$/),
				refresh_token_expires_at: new Date(world.now + 30 * 24 * HOUR).toISOString(),
				community_member_id: ada.memberId,
				community_id: community.id,
			})
			expect((await me(ok.access_token)).ok).toMatchObject({ id: ada.memberId, email: ada.email })
		}
		const storedGrants = JSON.stringify(await select(world, 'select * from member_grants'))
		expect(storedGrants).not.toContain((await exchange({ sso_user_id: 'their-17' })).ok.refresh_token)
	})

	test('rejects a header that names another community than the token', { tags: 'd1' }, async () => {
		const other = await openCommunity(world, 'other')
		await other.join(ada)
		const { access_token } = await memberTokens(world, key, ada.memberId)
		expect((await me(access_token)).ok.community.id).toBe(community.id)
		expect((await me(access_token, community.headers)).status).toBe(200)
		expect((await me(access_token, other.headers)).status).toBe(403)
	})

	test('requires exactly one identifier of an active member of the organization', async () => {
		for (const body of [{}, { email: ada.email, community_member_id: ada.memberId }, { sso_user_id: '' }])
			expect((await exchange(body)).status, JSON.stringify(body)).toBe(400)
		const other = await openCommunity(world, 'other')
		for (const body of [
			{ community_member_id: other.owner.memberId },
			{ community_member_id: 99_999 },
			{ email: 'nobody@example.org' },
			{ sso_user_id: 'their-18' },
			{ community_member_id: ada.memberId, community_id: other.id },
		])
			expect((await exchange(body)).status, JSON.stringify(body)).toBe(404)
		for (const status of ['invited', 'inactive', 'banned']) {
			const { memberId } = await community.member({ status })
			expect((await exchange({ community_member_id: memberId })).status, status).toBe(403)
		}
	})

	test('requires an API key with the scope, and rejects sessions', async () => {
		const body = { community_member_id: ada.memberId }
		for (const scope of ['read', 'write', 'admin'] as const)
			expect((await exchange(body, { key: await community.key([scope]) })).status, scope).toBe(403)
		expect((await exchange(body, { token: community.owner.token })).status).toBe(401)
		expect((await exchange(body, {})).status).toBe(401)
		expect((await exchange(body, { token: key })).status, 'as bearer').toBe(200)
	})

	test('requires a community id for a member of several communities', async () => {
		const second = await openCommunity(world, 'second')
		await select(
			world,
			`update communities set org_id = '${community.orgId}' where id = ${second.id} returning id`,
		)
		await second.join(ada)
		expect((await exchange({ email: ada.email })).status).toBe(400)
		const response = await exchange({ email: ada.email, community_id: second.id })
		expect(response.ok.community_id).toBe(second.id)
	})

	test('expires access tokens after an hour', async () => {
		const { access_token } = await memberTokens(world, key, ada.memberId)
		world.pass(HOUR - 1_000)
		expect((await me(access_token)).status).toBe(200)
		world.pass(60_000)
		expect((await me(access_token)).status).toBe(401)
		expect((await me(access_token, community.headers)).status).toBe(401)
	})

	test('invalidates member tokens when the membership ends, the password changes or they are revoked', async () => {
		const tokens = await memberTokens(world, key, ada.memberId)
		await select(world, `update memberships set status = 'banned' where id = ${ada.memberId} returning id`)
		expect((await me(tokens.access_token)).status).toBe(403)
		expect((await refresh(tokens.refresh_token)).status).toBe(403)
		await select(world, `update memberships set status = 'active' where id = ${ada.memberId} returning id`)
		expect((await me(tokens.access_token)).status).toBe(200)
		await world.ask(
			changePassword,
			{ body: { currentPassword: ada.password, newPassword: 'another long one' } },
			ada,
		)
		expect((await me(tokens.access_token)).status).toBe(401)
		expect((await refresh(tokens.refresh_token)).status).toBe(401)
	})

	test('rotates refresh tokens and revokes the whole grant when one is reused', { tags: 'd1' }, async () => {
		const first = await memberTokens(world, key, ada.memberId)
		world.pass(29 * 24 * HOUR)
		const second = (await refresh(first.refresh_token)).ok
		expect((await me(second.access_token)).status).toBe(200)
		expect(second.refresh_token).not.toBe(first.refresh_token)
		expect((await refresh(first.refresh_token)).status).toBe(401)
		expect((await refresh(second.refresh_token)).status).toBe(401)
		expect((await me(second.access_token)).status).toBe(401)
	})

	test('revokes the grant when any older refresh token is reused', { tags: 'd1' }, async () => {
		const first = await memberTokens(world, key, ada.memberId)
		let newest = first
		for (let i = 0; i < 4; i++) newest = (await refresh(newest.refresh_token)).ok
		expect((await refresh(first.refresh_token)).status).toBe(401)
		expect((await me(newest.access_token)).status).toBe(401)
		expect((await refresh(newest.refresh_token)).status).toBe(401)
	})

	test('ignores a forged token with the prefix of another grant', { tags: 'd1' }, async () => {
		const [mine, other] = [
			await memberTokens(world, key, ada.memberId),
			await memberTokens(world, key, ada.memberId),
		]
		expect(
			(await refresh(other.refresh_token.slice(0, 22).toLowerCase() + mine.refresh_token.slice(22))).status,
		).toBe(401)
		expect((await me(mine.access_token)).status).toBe(200)
		expect((await me(other.access_token)).status).toBe(200)
	})

	test('ends a grant 90 days after the exchange despite refreshes', { tags: 'd1' }, async () => {
		const from = world.now
		let newest = await memberTokens(world, key, ada.memberId)
		for (let month = 0; month < 3; month++) {
			world.pass(29 * 24 * HOUR)
			newest = (await refresh(newest.refresh_token)).ok
		}
		expect(Date.parse(newest.refresh_token_expires_at) - from).toBeLessThanOrEqual(90 * 24 * HOUR + 1_000)
		world.pass(4 * 24 * HOUR)
		expect((await refresh(newest.refresh_token)).status).toBe(401)
	})

	test('revokes the whole grant by any of its older refresh tokens', { tags: 'd1' }, async () => {
		const first = await memberTokens(world, key, ada.memberId)
		const newest = (await refresh(first.refresh_token)).ok
		const body = { refresh_token: first.refresh_token }
		expect((await world.ask(contract.revokeMemberRefreshToken, { body })).status).toBe(204)
		expect((await me(newest.access_token)).status).toBe(401)
	})

	test('refreshes a token once for many concurrent requests', async () => {
		const { refresh_token } = await memberTokens(world, key, ada.memberId)
		const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(refresh_token)))
		expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
	})

	test('expires refresh tokens after 30 days and prunes them', async () => {
		const { refresh_token } = await memberTokens(world, key, ada.memberId)
		world.pass(30 * 24 * HOUR)
		expect((await refresh(refresh_token)).status).toBe(401)
		await world.cron('17 3 * * *')
		expect(await select(world, 'select id from member_grants')).toEqual([])
	})

	test('revokes only access tokens by an access token, and the whole grant by a refresh token', {
		tags: 'd1',
	}, async () => {
		const tokens = await memberTokens(world, key, ada.memberId)
		const revokeAccess = () =>
			world.ask(contract.revokeMemberAccessToken, { body: { access_token: tokens.access_token } })
		expect((await revokeAccess()).status).toBe(204)
		expect((await me(tokens.access_token)).status).toBe(401)
		const fresh = (await refresh(tokens.refresh_token)).ok
		expect((await revokeAccess()).status, 'again').toBe(204)
		expect((await me(fresh.access_token)).status).toBe(200)
		const body = { refresh_token: fresh.refresh_token }
		expect((await world.ask(contract.revokeMemberRefreshToken, { body })).status).toBe(204)
		expect((await world.ask(contract.revokeMemberRefreshToken, { body })).status).toBe(204)
		expect((await me(fresh.access_token)).status).toBe(401)
		expect((await refresh(fresh.refresh_token)).status).toBe(401)
	})
})

const tokenFields = new Set(['access_token', 'refresh_token', 'code_challenge', 'code_verifier', 'state'])
const namesOf = (schema: unknown) => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : [])

/** Whether an operation issues, accepts, lists or revokes tokens of members, or is a step of their sign-in. */
const handlesMemberTokens = ({ path, body, query, response }: (typeof allOperations)[number]) =>
	/\/members\/\{\w+\}\/tokens$/.test(path) ||
	(path.startsWith('/api/') && [body, query, response].flatMap(namesOf).some((name) => tokenFields.has(name)))

test('every operation with member tokens rejects or revokes the tokens of a deleted community', {
	tags: 'd1',
}, async () => {
	const provider = await openProvider(() => world.now)
	world = await openWorld({}, { fetchPublic: (url, init) => provider.handle(url, init) })
	community = await openCommunity(world)
	key = await community.key()
	ada = await community.member()
	const { id: providerId } = await addProvider(world, community)
	const browser = openBrowser(world, provider, providerId)
	const { code } = await browser.signIn()
	const back = await provider.authorize((await browser.start()).headers.get('location') ?? '')
	const { access_token, refresh_token } = await memberTokens(world, key, ada.memberId)
	const byOthers = await memberTokens(world, key, community.owner.memberId)
	await world.ask(deleteCommunity, { params: { communityId: String(community.id) } }, community.owner)
	const ofMember = { params: { communityId: String(community.id), memberId: String(ada.memberId) } }
	/** Every new operation needs an entry here. */
	const requests: Record<string, () => Promise<{ status: number }>> = {
		createMemberToken: () => exchange({ community_member_id: ada.memberId }),
		refreshMemberToken: () => refresh(refresh_token),
		listMemberTokens: () => world.ask(contract.listMemberTokens, ofMember, community.owner),
		revokeMemberTokens: () => world.ask(contract.revokeMemberTokens, ofMember, community.owner),
		startMemberSignIn: () => openBrowser(world, provider, providerId).start(),
		finishMemberSignIn: () => browser.finish(back),
		exchangeSignInCode: () => exchangeCode(world, code),
		// Both respond with 204 to any token.
		revokeMemberAccessToken: () => world.ask(contract.revokeMemberAccessToken, { body: { access_token } }),
		revokeMemberRefreshToken: () =>
			world.ask(contract.revokeMemberRefreshToken, { body: { refresh_token: byOthers.refresh_token } }),
	}
	const operations = allOperations.filter(handlesMemberTokens).map(({ id }) => id)
	expect(Object.keys(requests).sort()).toEqual(operations.sort())
	const answers = []
	for (const [id, attempt] of Object.entries(requests)) answers.push([id, (await attempt()).status])
	expect(Object.fromEntries(answers)).toEqual({
		createMemberToken: 404,
		refreshMemberToken: 401,
		listMemberTokens: 404,
		revokeMemberTokens: 404,
		startMemberSignIn: 404,
		finishMemberSignIn: 404,
		exchangeSignInCode: 401,
		revokeMemberAccessToken: 204,
		revokeMemberRefreshToken: 204,
	})
	expect((await me(access_token)).status).toBe(404)
	expect((await refresh(byOthers.refresh_token)).status).toBe(401)
})
