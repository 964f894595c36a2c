import { beforeEach, expect, test } from 'vitest'
import { updateCommunityMember } from '#schema/contract/community/manage/memberships.ts'
import { getCurrentMember } from '#schema/contract/community/member/members.ts'
import { createMemberToken } from '#schema/contract/community/member/tokens.ts'
import { lockUser } from '#schema/contract/operations/admin/users.ts'
import { openWorld, type Who, type World } from '../../../support/edge/world.ts'
import { type Community, openCommunity, select } from '../community.ts'

let world: World
let community: Community
let server: Who
beforeEach(async () => {
	world = await openWorld()
	community = await openCommunity(world)
	server = { key: await community.key(['headless:auth', 'members:write']) }
})

const tokenFor = (body: object, who: Who = server) => {
	const sent = { sso_user_id: 'u-1', community_id: community.id, ...body }
	return world.ask(createMemberToken, { body: sent as never }, who)
}
const create = { name: 'Ada', email: 'ada@example.org', headline: 'Founder' }

test('auth_token adds an unknown person and returns their tokens in one call', async () => {
	const { ok } = await tokenFor({ create })
	const me = await world.ask(getCurrentMember, {}, { token: ok.access_token })
	expect(me.ok).toMatchObject({ name: 'Ada', email: 'ada@example.org', headline: 'Founder' })
	const again = await tokenFor({ create: { name: 'Somebody else' } })
	expect(again.ok.community_member_id).toBe(ok.community_member_id)
	expect((await world.ask(getCurrentMember, {}, { token: again.ok.access_token })).ok.name).toBe('Ada')
	const [entries] = await select<{ n: number }>(
		world,
		"select count(*) as n from audit_log where action = 'community_member.vouched'",
	)
	expect(entries?.n).toBe(1)
})

test('auth_token makes one member of two calls at once', async () => {
	const answers = await Promise.all([1, 2, 3].map(() => tokenFor({ create })))
	expect(new Set(answers.map(({ ok }) => ok.community_member_id)).size).toBe(1)
	expect(await select(world, 'select id from users where managed_key is not null')).toHaveLength(1)
})

test('auth_token gives no token to a banned, inactive or locked person, whom it does not add again', async () => {
	const { community_member_id: id } = (await tokenFor({ create })).ok
	const params = { communityId: String(community.id), memberId: String(id) }
	for (const status of ['banned', 'inactive'] as const) {
		await world.ask(updateCommunityMember, { params, body: { status } }, community.owner)
		expect(await tokenFor({ create })).toMatchObject({ status: 403, error: `the membership is ${status}` })
	}
	await world.ask(updateCommunityMember, { params, body: { status: 'active' } }, community.owner)
	const [user] = await select<{ id: number }>(world, 'select id from users where managed_key is not null')
	expect(
		await world.ask(lockUser, { params: { userId: String(user?.id) } as never }, community.owner),
	).toMatchObject({ status: 200 })
	expect((await tokenFor({ create })).status).toBe(404)
	expect(await select(world, 'select id from users where managed_key is not null')).toHaveLength(1)
})

test('auth_token with create needs both scopes, an ssoUserId and a community', async () => {
	const auth = { key: await community.key(['headless:auth']) }
	expect(await tokenFor({ create }, auth)).toMatchObject({
		status: 403,
		error: 'the API key lacks the scope members:write',
	})
	expect((await tokenFor({ create }, { key: await community.key(['members:write']) })).status).toBe(403)
	expect((await tokenFor({ create }, { key: await community.key(['headless:auth', 'admin']) })).status).toBe(
		200,
	)
	for (const body of [{ community_id: undefined }, { sso_user_id: undefined, community_member_id: 1 }])
		expect(await tokenFor({ create, ...body })).toMatchObject({
			status: 400,
			error: 'create: needs sso_user_id and community_id',
		})
	const other = await openCommunity(world, 'other')
	expect((await tokenFor({ create, sso_user_id: 'u-2', community_id: other.id })).status).toBe(404)
	expect(await select(world, 'select id from users where managed_key is not null')).toHaveLength(1)
})
