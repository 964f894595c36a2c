import { env } from 'cloudflare:workers'
import { strFromU8, unzipSync } from 'fflate'
import { beforeEach, expect, test } from 'vitest'
import { deleteCommunity } from '#schema/contract/community/manage/communities.ts'
import { addCommunityMembers } from '#schema/contract/community/manage/managed-members.ts'
import { removeCommunityMember } from '#schema/contract/community/manage/memberships.ts'
import { updateProfile } from '#schema/contract/community/member/members.ts'
import { createPostComment } from '#schema/contract/community/member/post-comments.ts'
import { react } from '#schema/contract/community/member/post-reactions.ts'
import { createPost } from '#schema/contract/community/member/posts.ts'
import { createMemberToken } from '#schema/contract/community/member/tokens.ts'
import { replayErasures } from '#schema/contract/operations/account-deletion.ts'
import { exportManagedMember } from '#schema/contract/operations/managed-people.ts'
import type { World } from '../../../../support/edge/world.ts'
import { type Community, openCommunity, select } from '../../../community/community.ts'
import { type DeletionWorld, openDeletionWorld } from '../deletion-world.ts'

let world: DeletionWorld
let community: Community
let key: string
let spaceId: number
beforeEach(async () => {
	world = await openDeletionWorld()
	community = await openCommunity(world as unknown as World)
	key = await community.key(['headless:auth', 'admin'])
	spaceId = await community.space()
})

const rows = <Row = Record<string, unknown>>(sql: string) => world.rows<Row>(sql)
const managedIds = async () =>
	(await rows<{ id: number }>('select id from users where managed_key is not null order by id')).map(
		({ id }) => id,
	)

/** Adds a managed member who posts, comments and reacts. Returns their ids. */
async function vivid(ssoUserId: string, on = community) {
	const create = { name: `Vivid ${ssoUserId}`, email: `${ssoUserId}@vivid.example`, bio: 'Vivid bio' }
	const body = { sso_user_id: ssoUserId, community_id: on.id, create }
	const tokens = (await world.ask(createMemberToken, { body }, { key })).ok
	const who = { token: tokens.access_token }
	const post = { params: { spaceId: String(spaceId) }, body: { body: 'Vivid post' } as never }
	const { id: postId } = (await world.ask(createPost, post, who)).ok
	const on_ = { params: { postId: String(postId) }, body: { body: 'Vivid comment' } as never }
	await world.ask(createPostComment, on_, who)
	await world.ask(react, { body: { reactable_type: 'Post', reactable_id: postId } as never }, who)
	await world.ask(updateProfile, { body: { headline: 'Vivid headline' } }, who)
	return { memberId: tokens.community_member_id, postId, who }
}
const at = (memberId: number) => ({
	params: { communityId: String(community.id), memberId: String(memberId) },
})
const remove = (memberId: number, query = {}) =>
	world.ask(removeCommunityMember, { ...at(memberId), query }, { key })

test.each([
	[{}, [{ author_id: null, body: 'Vivid post', deleted: 0 }]],
	[{ deleteContent: 'true' }, [{ author_id: null, body: '', deleted: 1 }]],
] as const)('removing a managed member with %j erases the person, without a mail', async (query, posts) => {
	const { memberId } = await vivid('ada')
	await vivid('bo')
	const [adaId, boId] = await managedIds()
	expect((await remove(memberId, query)).status).toBe(200)
	await world.settle()
	expect(await managedIds()).toEqual([boId])
	expect(
		await rows(
			'select author_id, body, deleted_at is not null as deleted from posts where author_id is null',
		),
	).toEqual(posts)
	const text = JSON.stringify(await world.dump())
	for (const trace of ['Vivid ada', 'ada@vivid.example']) expect(text).not.toContain(trace)
	expect(text).toContain('Vivid bo')
	expect(await rows('select user_id from erasure_ledger')).toEqual([{ user_id: adaId }])
	expect((await env.VAULT.list({ prefix: 'erasures/' })).objects).toHaveLength(1)
	expect(
		await rows("select count(*) as n from audit_log where action = 'account_deletion.expedited'"),
	).toEqual([{ n: 1 }])
	expect(world.sent.filter(({ to }) => to !== community.owner.email)).toEqual([])
	// The id in the organization's system is free again.
	const again = await vivid('ada')
	expect(again.memberId).not.toBe(memberId)
})

test('removing a member with an account keeps the account, and never deletes its content', async () => {
	const bo = await community.member()
	expect(await remove(bo.memberId, { deleteContent: 'true' })).toMatchObject({ status: 409 })
	expect((await remove(bo.memberId)).status).toBe(200)
	await world.settle()
	expect(await rows(`select id from users where id = ${bo.userId}`)).toHaveLength(1)
	expect(await rows('select 1 from account_deletion_requests')).toEqual([])
})

test('a lost message about a removed managed member is sent again', async () => {
	const { memberId } = await vivid('ada')
	await remove(memberId)
	world.messages.splice(0)
	await world.cron('*/10 * * * *')
	await world.settle()
	expect(await managedIds()).toEqual([])
})

test('deleting a community erases its managed people, and nobody else', async () => {
	await vivid('ada')
	await vivid('bo')
	const cy = await community.member()
	const params = { communityId: String(community.id) }
	expect((await world.ask(deleteCommunity, { params }, community.owner)).status).toBe(200)
	await world.settle()
	world.pass(60_000)
	await world.cron('*/10 * * * *')
	await world.settle()
	expect(await managedIds()).toEqual([])
	expect(await rows(`select id from users where id = ${cy.userId}`)).toHaveLength(1)
	expect(await rows('select user_id from erasure_ledger')).toHaveLength(2)
})

test('the end of an organization erases its managed people, and none of them inherits a community', async () => {
	const theirs = await openCommunity(world as unknown as World, 'theirs')
	const params = { communityId: String(theirs.id) }
	const members = [{ ssoUserId: 'first', name: 'First' }]
	await world.ask(addCommunityMembers, { params, body: { members } }, theirs.owner)
	const client = await theirs.member()
	await world.request(theirs.owner)
	await world.execute()
	world.pass(60_000)
	await world.cron('*/10 * * * *')
	await world.settle()
	expect(await managedIds()).toEqual([])
	expect(await rows(`select user_id, role from memberships where community_id = ${theirs.id}`)).toEqual([
		{ user_id: client.userId, role: 'owner' },
	])
})

test('a restored database does not bring an erased managed member back', async () => {
	const { memberId } = await vivid('ada')
	const [user] = await rows<Record<string, string | number | null>>(
		'select * from users where managed_key is not null',
	)
	await remove(memberId)
	await world.settle()
	const columns = Object.keys(user ?? {})
	const values = Object.values(user ?? {}).map((value) => (typeof value === 'string' ? `'${value}'` : value))
	await select(
		world as unknown as World,
		`insert into users (${columns.join(', ')}) values (${values.map(String).join(', ')}) returning 1`,
	)
	expect(await managedIds()).toHaveLength(1)
	const replayed = await world.ask(replayErasures, { body: {} }, community.owner)
	expect(replayed.ok.data).toMatchObject({ read: 1, erasing: 1 })
	await world.settle()
	expect(await managedIds()).toEqual([])
})

test('an organization exports a managed member, but no member with an account', async () => {
	const { memberId } = await vivid('ada')
	const writer = { key: await community.key(['members:write']) }
	const response = await world.fetch(
		new Request(`https://edge.test/v1/communities/${community.id}/members/${memberId}/export`, {
			headers: { 'x-api-key': writer.key },
		}),
	)
	const files = unzipSync(new Uint8Array(await response.arrayBuffer()))
	const text = (name: string) => strFromU8(files[name] ?? new Uint8Array())
	expect(text('account.jsonl')).toContain('Vivid ada')
	expect(text('memberships.user_id.jsonl')).toContain('ada@vivid.example')
	expect(text('posts.author_id.jsonl')).toContain('Vivid post')
	expect(
		Object.values(files)
			.map((bytes) => strFromU8(bytes))
			.join(),
	).not.toContain(community.owner.email)
	expect((await world.ask(exportManagedMember, at(community.owner.memberId), writer)).status).toBe(409)
	const other = await openCommunity(world as unknown as World, 'other')
	const foreign = { key: await other.key(['members:write', 'admin']) }
	expect((await world.ask(exportManagedMember, at(memberId), foreign)).status).toBe(404)
})
