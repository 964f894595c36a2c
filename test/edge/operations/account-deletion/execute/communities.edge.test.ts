/** @module-tag d1 */
import { beforeEach, describe, expect, test } from 'vitest'
import { updateCommunityMember } from '#schema/contract/community/manage/memberships.ts'
import { listAttendees } from '#schema/contract/community/member/events.ts'
import * as members from '#schema/contract/community/member/members.ts'
import {
	hideComment,
	hidePost,
	listHidden,
	restorePost,
} from '#schema/contract/community/member/moderation.ts'
import {
	createPostComment,
	createReply,
	listPostComments,
} from '#schema/contract/community/member/post-comments.ts'
import { react } from '#schema/contract/community/member/post-reactions.ts'
import { createPost, getPost, listHomePosts } from '#schema/contract/community/member/posts.ts'
import { listTopics } from '#schema/contract/community/member/spaces.ts'
import { refreshMemberToken } from '#schema/contract/community/member/tokens.ts'
import { DAY } from '../../../../../edge/platform/clock.ts'
import type { Person } from '../../../../support/edge/world.ts'
import { type Community, insert, memberTokens, openCommunity } from '../../../community/community.ts'
import { type DeletionWorld, openDeletionWorld } from '../deletion-world.ts'
import { openExport } from '../export-zip.ts'

type Member = Awaited<ReturnType<Community['join']>>

let world: DeletionWorld
let root: Person
let fixture: Community
let ada: Member
let bob: Member
let spaceId: number
beforeEach(async () => {
	world = await openDeletionWorld()
	root = await world.person()
	fixture = await openCommunity(world)
	ada = await fixture.join(await world.person({ email: 'ada@example.org', name: 'Ada Lovelace' }))
	bob = await fixture.member()
	spaceId = await fixture.space()
})

const post = async (who: Member, body = 'Hello', topics: number[] = []) =>
	(await world.ask(createPost, { params: { spaceId: String(spaceId) }, body: { body, topics } }, who)).ok.id
const at = (postId: number) => ({ params: { postId: String(postId) } })
const comment = async (who: Member, postId: number, body = 'Well') =>
	(await world.ask(createPostComment, { ...at(postId), body: { body } }, who)).ok.id
const reply = async (who: Member, commentId: number) =>
	(
		await world.ask(
			createReply,
			{ params: { commentId: String(commentId) }, body: { body: 'So it is' } },
			who,
		)
	).ok.id
/** Signs in again, because every session has ended after the grace period. */
const signedInAgain = async <Who extends Person>(who: Who): Promise<Who> => ({
	...who,
	token: await world.logIn(who),
})
const rolesIn = async (communityId: number) =>
	Object.fromEntries(
		(
			await world.rows<{ id: number; role: string }>(
				`select user_id as id, role from memberships where community_id = ${communityId}`,
			)
		).map(({ id, role }) => [id, role]),
	)

describe('the community data of a departing user', () => {
	test('the posts and comments of a departing user stay readable without an author', async () => {
		const postId = await post(ada)
		const commentId = await comment(ada, postId)
		await reply(bob, commentId)
		await world.request(ada)
		await world.execute()
		const reader = await signedInAgain(bob)
		const shown = await world.ask(getPost, at(postId), reader)
		expect(shown.ok).toMatchObject({ body: 'Hello', author: null, comments_count: 2 })
		const { ok } = await world.ask(listPostComments, { ...at(postId), query: {} }, reader)
		expect(ok.records).toMatchObject([{ id: commentId, author: null, body: 'Well', replies_count: 1 }])
	})

	test('programs of each organization get an event that the departing user left', async () => {
		const other = await openCommunity(world, 'other')
		const elsewhere = await other.join(ada)
		const inactive = await (await openCommunity(world, 'third')).join(ada, { status: 'inactive' })
		await world.request(ada)
		await world.execute()
		const rows = await world.rows<{ org_id: string; sequence: number; payload: string }>(
			"select org_id, sequence, payload from outbox where type = 'member.left' and sequence is not null order by payload",
		)
		const left = (orgId: string, communityId: number, memberId: number) => ({
			...{ org_id: orgId, sequence: 1 },
			payload: JSON.stringify({ communityId, memberId }),
		})
		expect(rows).toEqual([
			left(fixture.orgId, fixture.id, ada.memberId),
			left(other.orgId, other.id, elsewhere.memberId),
		])
		expect(inactive.memberId).toBeGreaterThan(elsewhere.memberId)
	})

	test('delete_content deletes the posts and comments of a departing user, and counters stay correct', async () => {
		const tag = await insert(world, 'tags', { community_id: fixture.id, name: 'T', slug: 't', created_at: 1 })
		const mine = await post(ada, 'Mine', [tag])
		const his = await post(bob, 'His', [tag])
		await comment(bob, mine)
		const kept = await comment(bob, his)
		await reply(ada, kept)
		await reply(bob, kept)
		const gone = await comment(ada, his)
		await reply(bob, gone)
		const imageId = await insert(world, 'images', {
			community_id: fixture.id,
			post_id: his,
			uploader_id: ada.userId,
			object_key: `communities/${fixture.id}/a`,
			content_type: 'image/png',
			created_at: 1,
		})
		await world.ask(react, { body: { reactable_type: 'Image', reactable_id: imageId } }, bob)
		await world.bindings.VAULT.put(`communities/${fixture.id}/a`, 'x')
		await world.bindings.VAULT.put(`communities/${fixture.id}/b`, 'of someone else')
		await world.request(ada, { delete_content: true })
		await world.execute()
		const reader = await signedInAgain(bob)
		expect((await world.ask(getPost, at(mine), reader)).status).toBe(404)
		expect((await world.ask(getPost, at(his), reader)).ok.comments_count).toBe(3)
		const { ok } = await world.ask(listPostComments, { ...at(his), query: {} }, reader)
		expect(ok.records).toMatchObject([
			{ id: kept, replies_count: 1, removed_at: null },
			// The reply of another person stays below a placeholder.
			{ id: gone, replies_count: 1, body: '', author: null, removed_at: expect.any(String) },
		])
		const topics = await world.ask(listTopics, { params: { spaceId: String(spaceId) } }, reader)
		expect(topics.ok.records).toMatchObject([{ posts_count: 1 }])
		expect(await world.rows(`select body from posts where id = ${mine}`)).toEqual([{ body: '' }])
		expect(await world.rows(`select body from post_comments where id = ${gone}`)).toEqual([{ body: '' }])
		for (const table of ['images', 'post_reactions'])
			expect(await world.rows(`select id from ${table}`), table).toEqual([])
		const { objects } = await world.bindings.VAULT.list({ prefix: 'communities/' })
		expect(objects.map(({ key }) => key)).toEqual([`communities/${fixture.id}/b`])
	})

	test('earlier deleted posts of a departing user lose their text', async () => {
		const postId = await post(ada, 'Regretted')
		await world.rows(`update posts set deleted_at = 5, title = 'Rue' where id = ${postId} returning 1`)
		await world.request(ada)
		await world.execute()
		expect(await world.rows('select author_id as author, title, body, deleted_at as at from posts')).toEqual([
			{ author: null, title: null, body: '', at: 5 },
		])
	})

	test('hidden content of a departing user loses its text, and can’t be restored', async () => {
		const postId = await post(ada, 'Rude')
		const commentId = await comment(ada, await post(bob), 'Ruder')
		await world.ask(hidePost, at(postId), fixture.owner)
		await world.ask(hideComment, { params: { commentId: String(commentId) } }, fixture.owner)
		await world.request(ada)
		await world.execute()
		const owner = { ...fixture.owner, ...(await signedInAgain(fixture.owner)) }
		expect((await world.ask(listHidden, { query: {} }, owner)).ok.records).toEqual([])
		expect((await world.ask(restorePost, at(postId), owner)).status).toBe(404)
		expect(await world.rows(`select body from posts where id = ${postId}`)).toEqual([{ body: '' }])
		expect(await world.rows('select body from post_comments')).toEqual([{ body: '' }])
	})

	test('a departing user frees a place at an event for the member who has waited longest', async () => {
		const eventId = await fixture.event(spaceId, {
			capacity: 1,
			waitlist_enabled: 1,
			going_count: 1,
			ends_at: world.now + 365 * DAY,
		})
		const eve = await fixture.member()
		for (const [who, status] of [
			[ada, 'going'],
			[bob, 'waitlisted'],
			[eve, 'waitlisted'],
		] as const)
			await insert(world, 'event_rsvps', {
				event_id: eventId,
				membership_id: who.memberId,
				status,
				created_at: 1,
				updated_at: 1,
			})
		await world.request(ada)
		await world.execute()
		const { ok } = await world.ask(
			listAttendees,
			{ params: { eventId: String(eventId) } },
			await signedInAgain(eve),
		)
		expect(ok.records.map((row) => [row.community_member_id, row.rsvp_status])).toEqual([
			[bob.memberId, 'going'],
			[eve.memberId, 'waitlisted'],
		])
		expect(await world.rows('select going_count as n from events')).toEqual([{ n: 1 }])
	})

	test('member tokens and all rows of the membership of a departing user are deleted', async () => {
		await fixture.grant([ada.memberId], [spaceId])
		const tokens = await memberTokens(world, await fixture.key(), ada.memberId)
		await world.request(ada)
		await world.execute()
		expect((await world.ask(listHomePosts, { query: {} }, { token: tokens.access_token })).status).toBe(401)
		const again = { body: { refresh_token: tokens.refresh_token } }
		expect((await world.ask(refreshMemberToken, again, {})).status).toBe(401)
		for (const table of ['member_grants', 'access_group_members'])
			expect(await world.rows(`select * from ${table}`), table).toEqual([])
		expect(await rolesIn(fixture.id)).toEqual({ [fixture.owner.userId]: 'owner', [bob.userId]: 'member' })
	})

	test('the community data of a user is in the export, without hashes', async () => {
		const postId = await post(ada)
		await comment(ada, postId)
		await post(bob, 'Secret of Bob')
		await memberTokens(world, await fixture.key(), ada.memberId)
		const { lines, texts } = await openExport(world, ada)
		expect(lines('posts.author_id.jsonl')).toMatchObject([{ id: postId, body: 'Hello' }])
		expect(lines('post_comments.author_id.jsonl')).toMatchObject([{ body: 'Well' }])
		expect(lines('memberships.user_id.jsonl')).toMatchObject([{ community_id: fixture.id, role: 'member' }])
		const [grant] = lines('member_grants.membership_id.jsonl')
		expect(Object.keys(grant ?? {})).toEqual(['id', 'membership_id', 'created_at', 'expires_at'])
		expect(Object.values(texts).join()).not.toContain('Secret of Bob')
	})
})

describe('a community of a departing user', () => {
	test('a community gets the earliest admin or else member as owner, but no departing one', async () => {
		const founder = await world.person()
		const open = async (slug: string) => {
			const one = await openCommunity(world, slug)
			await world.rows(`delete from memberships where community_id = ${one.id} returning 1`)
			await one.join(founder, { role: 'owner' })
			return one
		}
		const [byAdmin, byMember, byStaying, shared] = [
			await open('by-admin'),
			await open('by-member'),
			await open('by-staying'),
			await open('shared'),
		]
		await byAdmin.join(bob)
		await byAdmin.join(ada, { role: 'admin' })
		await byMember.join(fixture.owner, { status: 'banned', role: 'admin' })
		await byMember.join(bob)
		await byStaying.join(root, { role: 'admin' })
		await byStaying.join(bob)
		await shared.join(bob, { role: 'owner' })
		await shared.join(ada, { role: 'admin' })
		await world.request(root)
		await world.request(founder)
		await world.execute()
		expect(await rolesIn(byAdmin.id)).toEqual({ [bob.userId]: 'member', [ada.userId]: 'owner' })
		expect(await rolesIn(byMember.id)).toEqual({ [fixture.owner.userId]: 'admin', [bob.userId]: 'owner' })
		expect(await rolesIn(byStaying.id)).toEqual({ [root.userId]: 'admin', [bob.userId]: 'owner' })
		expect(await rolesIn(shared.id)).toEqual({ [bob.userId]: 'owner', [ada.userId]: 'admin' })
	})

	test('a community stays without members if its organization stays, and survives its organization', async () => {
		const founder = await world.person()
		const run = await openCommunity(world, 'run-by-others')
		await world.rows(`delete from memberships where community_id = ${run.id} returning 1`)
		await run.join(founder, { role: 'owner' })
		const own = await openCommunity(world, 'own')
		await world.rows(`update communities set org_id = '${founder.orgId}' where id = ${own.id} returning 1`)
		await own.join(founder)
		await world.request(founder)
		await world.execute()
		expect(await world.rows('select slug, org_id as org from communities order by id')).toEqual([
			{ slug: 'club', org: fixture.orgId },
			{ slug: 'run-by-others', org: run.orgId },
			{ slug: 'own', org: null },
		])
	})

	test('a community of a deleted organization gets an owner, or is deleted without active members', async () => {
		const founder = await world.person()
		const open = async (slug: string) => {
			const one = await openCommunity(world, slug)
			await world.rows(`update communities set org_id = '${founder.orgId}' where id = ${one.id} returning 1`)
			await world.rows(`delete from memberships where community_id = ${one.id} returning 1`)
			return one
		}
		// The founder is a member of none of them, because an organization's admins need not be members.
		const [ownerless, owned, withoutMembers] = [
			await open('ownerless'),
			await open('owned'),
			await open('without-members'),
		]
		await ownerless.join(bob)
		await ownerless.join(ada, { role: 'admin' })
		await owned.join(bob, { role: 'owner' })
		await owned.join(ada, { role: 'admin' })
		await withoutMembers.join(bob, { status: 'inactive' })
		await world.request(founder)
		await world.execute()
		expect(await rolesIn(ownerless.id)).toEqual({ [bob.userId]: 'member', [ada.userId]: 'owner' })
		expect(await rolesIn(owned.id)).toEqual({ [bob.userId]: 'owner', [ada.userId]: 'admin' })
		expect(await world.rows('select slug, org_id as org from communities order by id')).toEqual([
			{ slug: 'club', org: fixture.orgId },
			{ slug: 'ownerless', org: null },
			{ slug: 'owned', org: null },
		])
		expect(await rolesIn(withoutMembers.id)).toEqual({})
	})

	test('a community without other active members is deleted with its rows and objects, and no other', async () => {
		const founder = await world.person()
		const own = await openCommunity(world, 'own')
		await world.rows(`update communities set org_id = '${founder.orgId}' where id = ${own.id} returning 1`)
		await world.rows(`update memberships set status = 'inactive' where community_id = ${own.id} returning 1`)
		const member = await own.join(founder, { role: 'owner' })
		const groupId = await insert(world, 'space_groups', {
			community_id: own.id,
			name: 'G',
			slug: 'g',
			created_at: 1,
		})
		for (const [one, who] of [
			[own, member],
			[fixture, bob],
		] as const) {
			const space = await one.space(one === own ? { space_group_id: groupId } : {})
			const tag = await insert(world, 'tags', {
				community_id: one.id,
				name: 'T',
				slug: 't',
				created_at: 1,
			})
			const params = { spaceId: String(space) }
			const { id } = (await world.ask(createPost, { params, body: { body: 'P', topics: [tag] } }, who)).ok
			const commentId = await comment(who, id)
			await reply(who, commentId)
			const hidden = await one.post(space, { deleted_at: 3 })
			const image = await insert(world, 'images', {
				community_id: one.id,
				post_id: hidden,
				object_key: `communities/${one.id}/i`,
				content_type: 'image/png',
				created_at: 1,
			})
			await world.bindings.VAULT.put(`communities/${one.id}/i`, 'x')
			for (const target of [{ post_id: id }, { comment_id: commentId }, { image_id: image }])
				await insert(world, 'post_reactions', {
					membership_id: who.memberId,
					...target,
					emoji: 'like',
					created_at: 1,
				})
			for (const table of ['bookmarks', 'post_followers'])
				await insert(world, table, {
					user_id: fixture.owner.userId,
					...(table === 'bookmarks' && { community_id: one.id }),
					post_id: id,
					created_at: 1,
				})
			const event = await one.event(space)
			await insert(world, 'event_rsvps', {
				event_id: event,
				membership_id: who.memberId,
				status: 'going',
				created_at: 1,
				updated_at: 1,
			})
			await one.grant([who.memberId], [space])
			await insert(world, 'profile_fields', {
				community_id: one.id,
				key: 'k',
				label: 'L',
				field_type: 'text',
				required: 0,
				options: '[]',
				created_at: 1,
			})
		}
		const rowsOfFixture = async () => {
			const all = await world.dump()
			const tables = Object.keys(all).filter((table) =>
				/^(post|space|access|event|tags|images|book|profile)/.test(table),
			)
			return Object.fromEntries(tables.map((table) => [table, all[table]]))
		}
		await world.request(founder)
		await world.execute()
		await world.settle()
		await world.cron('* * * * *')
		const rest = await rowsOfFixture()
		for (const [table, rows] of Object.entries(rest)) {
			const ofOwn = (rows as { community_id?: number }[]).filter((row) => row.community_id === own.id)
			expect([table, ofOwn]).toEqual([table, []])
		}
		// Everything was created twice, so one of each remains, also in tables without a community column.
		for (const [table, count] of Object.entries({
			posts: 2,
			post_comments: 2,
			post_reactions: 3,
			space_topics: 1,
			bookmarks: 1,
			// One follows by request, the author by writing.
			post_followers: 2,
			events: 1,
			event_rsvps: 1,
			access_groups: 1,
			access_group_members: 1,
			access_group_spaces: 1,
			profile_fields: 1,
			space_groups: 0,
			community_removals: 0,
		}))
			expect([table, (await world.rows(`select * from ${table}`)).length]).toEqual([table, count])
		const { objects } = await world.bindings.VAULT.list({ prefix: 'communities/' })
		expect(objects.map(({ key }) => key)).toEqual([`communities/${fixture.id}/i`])
		expect((await world.ask(listHomePosts, { query: {} }, await signedInAgain(bob))).ok.records).toHaveLength(
			1,
		)
	})
})

test('deactivating a membership removes access but keeps all data for a reactivation', async () => {
	const postId = await post(ada)
	const key = await fixture.key()
	const { access_token: token } = await memberTokens(world, key, ada.memberId)
	const read = async (who: { token: string }) =>
		(await world.ask(getPost, at(postId), { ...who, headers: fixture.headers })).status
	const kept = () => world.rows(`select id, author_id, body from posts where id = ${postId}`)
	const before = await kept()
	expect((await world.ask(members.deactivateMember, {}, ada)).ok).toEqual({ success: true })
	expect([await read(ada), await read({ token })]).toEqual([403, 401])
	await world.settle()
	expect((await world.ask(getPost, at(postId), bob)).ok.author).toMatchObject({ id: ada.userId })
	expect(await kept()).toEqual(before)
	const params = { communityId: String(fixture.id), memberId: String(ada.memberId) }
	await world.ask(updateCommunityMember, { params, body: { status: 'active' } }, fixture.owner)
	// Old tokens stay revoked, but new ones can be issued.
	const { access_token: again } = await memberTokens(world, key, ada.memberId)
	expect([await read(ada), await read({ token }), await read({ token: again })]).toEqual([200, 401, 200])
	// The account itself is not affected.
	expect((await world.status(ada)).ok).toEqual({ has_pending_deletion: false })
})
