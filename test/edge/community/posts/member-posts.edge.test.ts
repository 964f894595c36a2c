/** @module-tag d1 */
import { beforeEach, describe, expect, test } from 'vitest'
import * as bookmarks from '#schema/contract/community/member/bookmarks.ts'
import * as followers from '#schema/contract/community/member/followers.ts'
import { react, unreact } from '#schema/contract/community/member/post-reactions.ts'
import type { World } from '../../../support/edge/world.ts'
import { type Community, envelope, insert, openHeadless, select } from '../community.ts'

let world: World
let community: Community
let ada: Awaited<ReturnType<Community['member']>>
let spaceId: number
beforeEach(async () => {
	;({ world, community, ada, spaceId } = await openHeadless())
})

const iso = (at: number) => new Date(at).toISOString()
const emoji = '👩‍🚀'

describe('bookmarks', () => {
	const add = (postId: number, who = ada) =>
		world.ask(bookmarks.createBookmark, { body: { bookmarkable_id: postId } }, who)
	const list = (query = {}) => world.ask(bookmarks.listBookmarks, { query }, ada)

	test('creates a bookmark once, lists it as specified and accepts repeated deletion', async () => {
		const body = emoji.repeat(60)
		const postId = await community.post(spaceId, { body })
		const created = await add(postId)
		expect([created.status, created.ok]).toEqual([201, { success: true }])
		const again = await add(postId)
		expect([again.status, again.ok]).toEqual([200, { success: true }])
		const [row] = await select<{ id: number; created_at: number }>(world, 'select * from bookmarks')
		const name = Array.from(body).slice(0, 100).join('')
		const { ok } = await list()
		expect(ok).toEqual(
			envelope([
				{
					id: row?.id,
					record_id: postId,
					bookmarkable_type: 'Post',
					created_at: iso(row?.created_at ?? 0),
					bookmark_record: {
						id: postId,
						name,
						slug: String(postId),
						url: `/posts/${postId}`,
						space: { id: spaceId, name: 'General', slug: 'general' },
					},
				},
			]),
		)
		const inSpace = await world.ask(
			bookmarks.listSpaceBookmarks,
			{ params: { spaceId: String(spaceId) } },
			ada,
		)
		const link = {
			id: postId,
			name,
			display_type: 'post',
			url: `/posts/${postId}`,
			emoji: null,
			custom_emoji_url: null,
		}
		expect(inSpace.ok).toEqual(envelope([{ id: row?.id, name, display_type: 'post', links: [link] }]))
		for (const id of [String(postId), String(postId), '0', '-1', '9007199254740992']) {
			const deleted = await world.ask(bookmarks.deleteBookmark, { params: { postId: id } }, ada)
			expect([deleted.status, deleted.ok], id).toEqual([200, { success: true }])
		}
		expect((await list()).ok).toEqual(envelope([]))
	})

	test('pages through bookmarks with a total count, newest first, ties by id', async () => {
		const now = world.now
		for (let i = 0; i < 5; i++) {
			const postId = await community.post(spaceId)
			await insert(world, 'bookmarks', {
				user_id: ada.userId,
				community_id: community.id,
				post_id: postId,
				created_at: now - (i < 3 ? 0 : 10),
			})
		}
		const seen: number[] = []
		for (const page of ['1', '2', '3']) {
			const { ok } = await list({ page, per_page: '2' })
			expect(ok).toMatchObject({
				page: Number(page),
				per_page: 2,
				count: 5,
				page_count: 3,
				has_next_page: page !== '3',
			})
			seen.push(...ok.records.map(({ id }) => id))
		}
		expect(seen).toEqual([3, 2, 1, 5, 4])
		for (const page of [9, 999_999_999, 1_000_000_000, Number.MAX_SAFE_INTEGER])
			expect((await list({ page: String(page), per_page: '100' })).ok).toMatchObject({
				page,
				count: 5,
				has_next_page: false,
				records: [],
			})
		for (const query of [
			{ page: '9007199254740992' },
			{ page: '9'.repeat(400) },
			{ page: '0' },
			{ page: '-1' },
			{ page: 'x' },
			{ per_page: '0' },
			{ per_page: '101' },
			{ per_page: '1.5' },
		]) {
			const bad = await list(query)
			expect([bad.status, JSON.parse(bad.text)], JSON.stringify(query)).toEqual([
				400,
				{ error: expect.any(String) },
			])
		}
	})

	test('keeps bookmarks per person and community, even during a loss of access', async () => {
		const secret = await community.space({ visibility: 'private' })
		const postId = await community.post(secret)
		expect((await add(postId)).status).toBe(404)
		const group = await community.grant([ada.memberId], [secret])
		expect((await add(postId)).status).toBe(201)
		expect((await add(postId, community.owner)).status).toBe(201)
		await select(world, `update access_groups set status = 'archived' where id = ${group} returning id`)
		expect((await list()).ok.count).toBe(0)
		await select(world, `update access_groups set status = 'active' where id = ${group} returning id`)
		expect((await list()).ok.count).toBe(1)
		await select(world, `update posts set deleted_at = 1 where id = ${postId} returning id`)
		expect((await list()).ok.count).toBe(0)
		expect((await add(postId)).status).toBe(404)
	})

	test('rejects bookmark targets that are not the numeric id of a post', async () => {
		const body = { bookmarkable_id: await community.post(spaceId) }
		for (const bad of [
			{},
			{ bookmarkable_id: null },
			{ bookmarkable_id: '1' },
			{ bookmarkable_id: 1.5 },
			{ ...body, bookmarkable_type: 'Comment' },
			{ ...body, bookmarkable_type: 7 },
		]) {
			const refused = await world.ask(bookmarks.createBookmark, { body: bad as never }, ada)
			expect(refused.status, JSON.stringify(bad)).toBe(400)
		}
		const full = { ...body, bookmarkable_type: 'Post' as const }
		expect((await world.ask(bookmarks.createBookmark, { body: full }, ada)).status).toBe(201)
	})
})

describe('followers of a post', () => {
	const params = (postId: number) => ({ params: { postId: String(postId) } })

	test('follows, unfollows and lists followers as specified', async () => {
		const postId = await community.post(spaceId)
		for (let i = 0; i < 2; i++) {
			const { status, ok } = await world.ask(followers.followPost, params(postId), ada)
			expect([status, ok]).toEqual([200, { success: true, is_following: true }])
		}
		await world.ask(followers.followPost, params(postId), community.owner)
		const list = () => world.ask(followers.listPostFollowers, params(postId), ada)
		expect((await list()).ok).toEqual(
			envelope([
				{
					id: 1,
					post_id: postId,
					community_member_id: ada.userId,
					membership_id: ada.memberId,
					name: expect.any(String),
					avatar_url: 'https://example.org/ada.png',
				},
				{
					id: expect.any(Number),
					post_id: postId,
					community_member_id: community.owner.userId,
					membership_id: community.owner.memberId,
					name: expect.any(String),
					avatar_url: null,
				},
			]),
		)
		for (let i = 0; i < 2; i++) {
			const { status, ok } = await world.ask(followers.unfollowPost, params(postId), ada)
			expect([status, ok]).toEqual([200, { success: true, is_following: false }])
		}
		expect((await list()).ok.count).toBe(1)
	})

	test('a member can unfollow a post that is no longer visible, also again', async () => {
		const secret = await community.space({ visibility: 'private' })
		const postId = await community.post(secret)
		const group = await community.grant([ada.memberId], [secret])
		await world.ask(followers.followPost, params(postId), ada)
		await select(world, `update access_groups set status = 'archived' where id = ${group} returning id`)
		expect((await world.ask(followers.listPostFollowers, params(postId), ada)).status).toBe(404)
		const unfollow = async (who: typeof ada) =>
			(await world.ask(followers.unfollowPost, params(postId), who)).status
		expect([await unfollow(ada), await unfollow(ada)]).toEqual([200, 200])
		expect(await unfollow(await community.member()), 'of a member who never followed it').toBe(404)
	})
})

describe('reactions', () => {
	test('keeps only the last reaction of a member to each kind of target', async () => {
		const postId = await community.post(spaceId)
		const now = world.now
		const inPost = { community_id: community.id, post_id: postId, created_at: now }
		const commentId = await insert(world, 'post_comments', { ...inPost, body: 'c', updated_at: now })
		const imageId = await insert(world, 'images', { ...inPost, object_key: 'k', content_type: 'image/png' })
		for (const [reactable_type, reactable_id] of [
			['Post', postId],
			['Comment', commentId],
			['Image', imageId],
		] as const) {
			const target = { reactable_type, reactable_id }
			const first = await world.ask(react, { body: target }, ada)
			expect([first.status, first.ok]).toEqual([200, { id: expect.any(Number), reaction: 'like' }])
			const second = await world.ask(react, { body: { ...target, reaction: emoji } }, ada)
			expect(second.ok).toEqual({ id: first.ok.id, reaction: emoji })
			expect((await world.ask(react, { body: target }, community.owner)).ok.id).not.toBe(first.ok.id)
			const none = { reactable_type, reactable_id: 99_999 }
			expect((await world.ask(react, { body: none }, ada)).status).toBe(404)
			expect((await world.ask(unreact, { query: {}, body: target }, ada)).ok).toEqual({ success: true })
			expect((await world.ask(unreact, { query: {}, body: target }, ada)).ok).toEqual({ success: true })
		}
		expect(await select(world, 'select id from post_reactions')).toHaveLength(3)
	})

	test('a reaction is removed by a target in the query, without a body', async () => {
		const [one, two] = [await community.post(spaceId), await community.post(spaceId)]
		for (const reactable_id of [one, two])
			await world.ask(react, { body: { reactable_type: 'Post', reactable_id } }, ada)
		const query = { reactable_type: 'Post' as const, reactable_id: String(one) }
		const body = (reactable_id: number) => ({ reactable_type: 'Post' as const, reactable_id })
		const reactedPostIds = async () =>
			(await select<{ id: number }>(world, 'select post_id as id from post_reactions')).map(({ id }) => id)
		for (const bad of [
			{ query: {} },
			{ query: { reactable_type: 'Post' as const } },
			{ query: { reactable_id: String(one) } },
			{ query: { ...query, reactable_id: 'x' } },
			{ query, body: body(two) },
		])
			expect((await world.ask(unreact, bad, ada)).status, JSON.stringify(bad)).toBe(400)
		expect(await reactedPostIds()).toEqual([one, two])
		expect((await world.ask(unreact, { query }, ada)).ok).toEqual({ success: true })
		expect((await world.ask(unreact, { query }, ada)).ok).toEqual({ success: true })
		expect(await reactedPostIds()).toEqual([two])
		expect((await world.ask(unreact, { query, body: body(one) }, ada)).status).toBe(200)
	})

	test('rejects reactions to other types with 400', async () => {
		for (const body of [
			{},
			{ reactable_type: 'Event', reactable_id: 1 },
			{ reactable_type: 'post', reactable_id: 1 },
			{ reactable_type: 'Post', reactable_id: '1' },
			{ reactable_type: 'Post', reactable_id: 1, reaction: '' },
			{ reactable_type: 'Post', reactable_id: 1, reaction: 7 },
		]) {
			const refused = await world.ask(react, { body: body as never }, ada)
			expect([refused.status, JSON.parse(refused.text)], JSON.stringify(body)).toEqual([
				400,
				{ error: expect.any(String) },
			])
		}
	})
})
