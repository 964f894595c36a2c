import { beforeEach, describe, expect, test } from 'vitest'
import { getCurrentMember } from '#schema/contract/community/members.ts'
import * as contract from '#schema/contract/community/tokens.ts'
import { changePassword } from '#schema/contract/identity.ts'
import { openWorld, type World } from '../world.ts'
import { type Community, memberTokens, openCommunity, select } from './community.ts'

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
	test('are had for a membership, an address or a name of the own sign-in, and open the community', async () => {
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
		const kept = JSON.stringify(await select(world, 'select * from member_grants'))
		expect(kept).not.toContain((await exchange({ sso_user_id: 'their-17' })).ok.refresh_token)
	})

	test('name their community: no header leads to another', async () => {
		const other = await openCommunity(world, 'other')
		await other.join(ada)
		const { access_token } = await memberTokens(world, key, ada.memberId)
		expect((await me(access_token)).ok.community.id).toBe(community.id)
		expect((await me(access_token, community.headers)).status).toBe(200)
		expect((await me(access_token, other.headers)).status).toBe(403)
	})

	test('take exactly one name, of a member of the organization, who is active', async () => {
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

	test('take a key with the scope for it, and no person', async () => {
		const body = { community_member_id: ada.memberId }
		for (const scope of ['read', 'write', 'admin'] as const)
			expect((await exchange(body, { key: await community.key([scope]) })).status, scope).toBe(403)
		expect((await exchange(body, { token: community.owner.token })).status).toBe(401)
		expect((await exchange(body, {})).status).toBe(401)
		expect((await exchange(body, { token: key })).status, 'as bearer').toBe(200)
	})

	test('of someone in several communities ask which', async () => {
		const second = await openCommunity(world, 'second')
		await select(
			world,
			`update communities set org_id = '${community.orgId}' where id = ${second.id} returning id`,
		)
		await second.join(ada)
		expect((await exchange({ email: ada.email })).status).toBe(400)
		const named = await exchange({ email: ada.email, community_id: second.id })
		expect(named.ok.community_id).toBe(second.id)
	})

	test('last an hour', async () => {
		const { access_token } = await memberTokens(world, key, ada.memberId)
		world.pass(HOUR - 1_000)
		expect((await me(access_token)).status).toBe(200)
		world.pass(60_000)
		expect((await me(access_token)).status).toBe(401)
		expect((await me(access_token, community.headers)).status).toBe(401)
	})

	test('end with the membership, with a change of password, and when revoked', async () => {
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

	test('are refreshed once for each refresh token; a second time ends them all', async () => {
		const first = await memberTokens(world, key, ada.memberId)
		world.pass(29 * 24 * HOUR)
		const second = (await refresh(first.refresh_token)).ok
		expect((await me(second.access_token)).status).toBe(200)
		expect(second.refresh_token).not.toBe(first.refresh_token)
		expect((await refresh(first.refresh_token)).status).toBe(401)
		expect((await refresh(second.refresh_token)).status).toBe(401)
		expect((await me(second.access_token)).status).toBe(401)
	})

	test('end as a family when any refresh token of it is shown a second time, however old', async () => {
		const first = await memberTokens(world, key, ada.memberId)
		let newest = first
		for (let i = 0; i < 4; i++) newest = (await refresh(newest.refresh_token)).ok
		expect((await refresh(first.refresh_token)).status).toBe(401)
		expect((await me(newest.access_token)).status).toBe(401)
		expect((await refresh(newest.refresh_token)).status).toBe(401)
	})

	test('are not ended by a token that only looks like one of the family', async () => {
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

	test('do not outlive the 90th day after the exchange, however often they are refreshed', async () => {
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

	test('of a sign-in are all ended by revoking an old refresh token of it', async () => {
		const first = await memberTokens(world, key, ada.memberId)
		const newest = (await refresh(first.refresh_token)).ok
		const body = { refresh_token: first.refresh_token }
		expect((await world.ask(contract.revokeMemberRefreshToken, { body })).status).toBe(204)
		expect((await me(newest.access_token)).status).toBe(401)
	})

	test('are refreshed once by many who try at once', async () => {
		const { refresh_token } = await memberTokens(world, key, ada.memberId)
		const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(refresh_token)))
		expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
	})

	test('cannot be refreshed after 30 days, and are cleared away', async () => {
		const { refresh_token } = await memberTokens(world, key, ada.memberId)
		world.pass(30 * 24 * HOUR)
		expect((await refresh(refresh_token)).status).toBe(401)
		await world.cron('17 3 * * *')
		expect(await select(world, 'select id from member_grants')).toEqual([])
	})

	test('are revoked: the access token alone, or with its refresh token all of them', async () => {
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
