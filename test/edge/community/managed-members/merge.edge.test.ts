import { beforeEach, expect, test } from 'vitest'
import { suspendOrg } from '#schema/contract/accounts/suspension.ts'
import {
	listManagedMemberships,
	mergeManagedMembership,
} from '#schema/contract/community/manage/managed-memberships.ts'
import * as members from '#schema/contract/community/manage/memberships.ts'
import { createBookmark } from '#schema/contract/community/member/bookmarks.ts'
import { followPost } from '#schema/contract/community/member/followers.ts'
import { getCurrentMember } from '#schema/contract/community/member/members.ts'
import { createPostComment } from '#schema/contract/community/member/post-comments.ts'
import { createPost } from '#schema/contract/community/member/posts.ts'
import { createMemberToken } from '#schema/contract/community/member/tokens.ts'
import { impersonate } from '#schema/contract/operations/admin/impersonation.ts'
import { openWorld, type Person, type Who, type World } from '../../../support/edge/world.ts'
import { type Community, openCommunity, select } from '../community.ts'

const address = 'ada@example.org'
let world: World
let root: Person
let community: Community
let server: Who
let managed: { memberId: number; token: string; userId: number; postId: number }
beforeEach(async () => {
	world = await openWorld()
	root = await world.person()
	community = await openCommunity(world)
	server = { key: await community.key(['headless:auth', 'members:write']) }
	managed = await addManaged()
})

async function addManaged(ssoUserId = 'ada', email = address) {
	const body = { sso_user_id: ssoUserId, community_id: community.id, create: { name: 'Ada', email } }
	const { access_token: token, community_member_id: memberId } = (
		await world.ask(createMemberToken, { body }, server)
	).ok
	const spaceId = await community.space()
	const post = { params: { spaceId: String(spaceId) }, body: { body: 'Hello' } as never }
	const { id: postId } = (await world.ask(createPost, post, { token })).ok
	const on = { params: { postId: String(postId) } }
	await world.ask(createPostComment, { ...on, body: { body: 'Me, too' } as never }, { token })
	await world.ask(createBookmark, { body: { bookmarkable_id: postId } }, { token })
	await world.ask(followPost, on, { token })
	const [row] = await select<{ id: number }>(
		world,
		`select user_id as id from memberships where id = ${memberId}`,
	)
	return { memberId, token, userId: row?.id ?? 0, postId }
}
const list = (who: Who) => world.ask(listManagedMemberships, {}, who)
const merge = (who: Who, memberId = managed.memberId) =>
	world.ask(mergeManagedMembership, { params: { memberId: String(memberId) } as never }, who)
const ownerOf = async (table: string, column: string) =>
	(await select<{ id: number | null }>(world, `select ${column} as id from ${table}`)).map(({ id }) => id)
async function settle() {
	for (let round = 0; round < 20 && world.messages.length > 0; round++)
		await world.deliver(world.messages.splice(0))
}

test('the owner of the address takes the membership over with everything in it', async () => {
	const ada = await world.person({ email: address })
	expect((await list(ada)).ok.data).toEqual([
		{
			memberId: managed.memberId,
			ssoUserId: 'ada',
			communityId: community.id,
			communityName: 'The club',
			orgName: expect.any(String),
		},
	])
	expect((await merge(ada)).ok.data).toEqual({
		id: community.id,
		name: 'The club',
		slug: 'club',
		memberId: managed.memberId,
	})
	for (const [table, column] of [
		['posts', 'author_id'],
		['post_comments', 'author_id'],
		['bookmarks', 'user_id'],
		['post_followers', 'user_id'],
	] as const)
		expect(await ownerOf(table, column), table).toEqual([ada.userId])
	const me = await world.ask(getCurrentMember, {}, { ...ada, headers: community.headers })
	expect(me.ok).toMatchObject({ community_member_id: managed.memberId, email: address })
	const old = await world.ask(getCurrentMember, {}, { token: managed.token })
	expect(old.status, 'the former token').toBe(401)
	const exchange = { body: { sso_user_id: 'ada', community_id: community.id } }
	expect((await world.ask(createMemberToken, exchange, server)).ok.community_member_id).toBe(managed.memberId)
	const shown = { params: { communityId: String(community.id), memberId: String(managed.memberId) } }
	expect((await world.ask(members.getCommunityMember, shown, server)).ok.data).toMatchObject({
		managed: false,
		email: address,
		ssoUserId: 'ada',
	})
	await settle()
	expect(await select(world, 'select id from users where managed_key is not null')).toEqual([])
	expect(await ownerOf('posts', 'author_id')).toEqual([ada.userId])
	expect((await merge(ada)).status).toBe(404)
	expect((await list(ada)).ok.data).toEqual([])
	expect(
		await select(
			world,
			"select org_id, target_user_id as user from audit_log where action = 'community_member.merged'",
		),
	).toEqual([{ org_id: community.orgId, user: ada.userId }])
	const merged = await select<{ org: string; resource: string; sequence: number | null }>(
		world,
		"select org_id as org, resource, sequence from outbox where type = 'member.merged'",
	)
	expect(merged).toEqual([
		{ org: community.orgId, resource: `member:${managed.memberId}`, sequence: expect.any(Number) },
	])
})

test('a member with an account can’t take a second membership of the community over', async () => {
	const ada = await community.join(await world.person({ email: address }))
	expect(await merge(ada)).toMatchObject({ status: 409 })
	expect(await ownerOf('posts', 'author_id')).toEqual([managed.userId])
	expect((await merge(ada, ada.memberId)).status, 'the own membership').toBe(404)
})

test('nobody else takes a managed membership over', async () => {
	const dump = () => select(world, 'select id, user_id, email from memberships order by id')
	const before = await dump()
	const other = await addManagedElsewhere()
	const unverified = await world.person({ email: address })
	await select(world, `update users set email_verified_at = null where id = ${unverified.userId} returning 1`)
	for (const answer of [await list(unverified), await merge(unverified)])
		expect(answer).toMatchObject({ status: 403, code: 'email_unverified' })
	const eve = await world.person()
	expect((await list(eve)).ok.data).toEqual([])
	expect((await merge(eve)).status).toBe(404)
	expect((await merge(root)).status).toBe(404)
	expect((await merge({ token: managed.token })).status).toBe(401)
	expect((await merge(server)).status).toBe(401)
	expect((await merge(eve, other)).status).toBe(404)
	expect((await dump()).slice(0, before.length)).toEqual(before)
})

async function addManagedElsewhere() {
	const { memberId } = await addManaged('bo', 'bo@example.org')
	return memberId
}

test('a stale session, a superadmin who acts as the person, and a suspended organization take nothing over', async () => {
	const ada = await world.person({ email: address })
	const body = { userId: ada.userId, orgId: ada.orgId, reason: 'A question', write: true }
	const { token } = (await world.ask(impersonate, { body }, { token: await world.logIn(root) })).ok.data
	for (const answer of [await list({ token }), await merge({ token })]) expect(answer.status).toBe(403)
	await world.ask(suspendOrg, { params: { orgId: community.orgId }, body: { reason: 'abuse' } }, root)
	expect((await merge(ada)).status).toBe(404)
	world.pass(11 * 60_000)
	expect(await merge(ada)).toMatchObject({ status: 403, code: 'reauthentication_required' })
})

test('a banned managed member can’t be taken over, so the ban stays', async () => {
	const ada = await world.person({ email: address })
	await select(world, `update memberships set status = 'banned' where id = ${managed.memberId} returning 1`)
	expect((await list(ada)).ok.data).toEqual([])
	expect((await merge(ada)).status).toBe(404)
})

test('two calls at once move a membership once', async () => {
	const ada = await world.person({ email: address })
	const statuses = (await Promise.all([merge(ada), merge(ada)])).map(({ status }) => status)
	expect(statuses.filter((status) => status === 200)).toHaveLength(1)
	expect(await ownerOf('posts', 'author_id')).toEqual([ada.userId])
})
