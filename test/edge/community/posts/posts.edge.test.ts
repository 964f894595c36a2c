import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import {
	createCommunityTopic,
	deleteCommunityTopic,
	listCommunityTopics,
	updateCommunityTopic,
} from '#schema/contract/community/manage/topics.ts'
import * as comments from '#schema/contract/community/member/post-comments.ts'
import { react } from '#schema/contract/community/member/post-reactions.ts'
import * as posts from '#schema/contract/community/member/posts.ts'
import { listTopics } from '#schema/contract/community/member/spaces.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { propertyRuns } from '../../../support/shared/property-runs.ts'
import { type Community, openCommunity, select } from '../community.ts'

type Member = Awaited<ReturnType<Community['member']>>

let world: World
let community: Community
let ada: Member
let bo: Member
let moderator: Member
let spaceId: number
beforeEach(async () => {
	world = await openWorld()
	community = await openCommunity(world)
	ada = await community.member({ avatar_url: 'https://example.org/ada.png' })
	bo = await community.member()
	moderator = await community.member({ role: 'moderator' })
	spaceId = await community.space({ name: 'General', slug: 'general' })
})

const write = (body: object, who = ada, space = spaceId) =>
	world.ask(posts.createPost, { params: { spaceId: String(space) }, body: body as never }, who)
const at = (postId: number) => ({ params: { postId: String(postId) } })
const of = (commentId: number) => ({ params: { commentId: String(commentId) } })
const read = (postId: number, who = ada) => world.ask(posts.getPost, at(postId), who)
const comment = (postId: number, body = 'Hm', who = ada) =>
	world.ask(comments.createPostComment, { ...at(postId), body: { body } }, who)
const reply = (commentId: number, body = 'So', who = ada) =>
	world.ask(comments.createReply, { ...of(commentId), body: { body } }, who)
const topic = async (slug: string) =>
	(
		await world.ask(
			createCommunityTopic,
			{ params: { communityId: String(community.id) }, body: { name: slug.toUpperCase(), slug } },
			community.owner,
		)
	).ok.data

describe('posts', () => {
	test('creates, reads, updates and deletes a post', async () => {
		const created = await write({ name: 'First', body: ' Hello 👋 ' })
		expect(created.status).toBe(201)
		expect(created.ok).toEqual({
			id: 1,
			name: 'First',
			body: 'Hello 👋',
			excerpt: 'Hello 👋',
			is_truncated: false,
			slug: '1',
			url: '/posts/1',
			created_at: expect.any(String),
			updated_at: expect.any(String),
			space: { id: spaceId, name: 'General', slug: 'general' },
			author: {
				id: ada.userId,
				community_member_id: ada.memberId,
				name: expect.any(String),
				avatar_url: 'https://example.org/ada.png',
				role: 'member',
				headline: null,
			},
			topics: [],
			comments_count: 0,
			reactions: {},
			my_reaction: null,
			is_liked: false,
			user_likes_count: 0,
			is_bookmarked: false,
			is_following: true,
			policies: {
				can_edit: true,
				can_delete: true,
				can_comment: true,
				can_react: true,
				can_report: true,
				can_hide: false,
			},
			hidden_at: null,
			hidden_reason: null,
			cover_image: null,
			images: [],
		})
		expect((await read(1, bo)).ok).toEqual({
			...created.ok,
			is_following: false,
			policies: expect.any(Object),
		})
		const target = { reactable_type: 'Post' as const, reactable_id: 1 }
		await world.ask(react, { body: target }, ada)
		await world.ask(react, { body: { ...target, reaction: '🎬' } }, bo)
		expect((await read(1, bo)).ok).toMatchObject({ my_reaction: '🎬', reactions: { like: 1, '🎬': 1 } })
		const change = (who: Member, body: object) => world.ask(posts.updatePost, { ...at(1), body }, who)
		expect((await change(ada, { body: 'Changed' })).ok).toMatchObject({ name: 'First', body: 'Changed' })
		expect((await change(ada, { name: null })).ok).toMatchObject({ name: null, body: 'Changed' })
		expect((await change(bo, { body: 'x' })).status).toBe(403)
		expect((await change(moderator, { body: 'x' })).status).toBe(403)
		expect((await change(ada, {})).status).toBe(400)
		expect((await world.ask(posts.deletePost, at(1), bo)).status).toBe(403)
		expect((await world.ask(posts.deletePost, at(1), ada)).ok).toEqual({ success: true })
		expect((await world.ask(posts.deletePost, at(1), ada)).status).toBe(404)
		expect((await read(1)).status).toBe(404)
		for (const body of [{}, { body: ' ' }, { body: 7 }, { body: 'x', topics: ['a'] }])
			expect((await write(body)).status, JSON.stringify(body)).toBe(400)
	})

	test('shows a post without an author after its author is deleted', { tags: 'd1' }, async () => {
		const { id } = (await write({ body: 'b' })).ok
		await select(world, `update posts set author_id = null where id = ${id} returning id`)
		expect((await read(id)).ok.author).toBeNull()
		await select(world, `update posts set author_id = 424242 where id = ${id} returning id`)
		expect((await read(id)).ok.author).toBeNull()
	})

	test('lists posts by space and at home, newest first, ties by id', { tags: 'd1' }, async () => {
		const now = world.now
		const hidden = await community.space({ visibility: 'secret' })
		const second = await community.space()
		const postIds: number[] = []
		for (let i = 0; i < 4; i++)
			postIds.push(await community.post(i === 3 ? second : spaceId, { created_at: now }))
		await community.post(hidden)
		const home = async (query: object, who = ada) => (await world.ask(posts.listHomePosts, { query }, who)).ok
		const ids = (page: { records: { id: number }[] }) => page.records.map(({ id }) => id)
		const newestFirst = postIds.toReversed()
		expect(ids(await home({}))).toEqual(newestFirst)
		expect(ids(await home({}, community.owner))).toHaveLength(5)
		const first = await home({ per_page: '3' })
		expect(first).toMatchObject({ page: 1, per_page: 3, has_next_page: true })
		const rest = await home({ per_page: '3', page: '2' })
		expect(rest).toMatchObject({ page: 2, has_next_page: false })
		expect([...ids(first), ...ids(rest)]).toEqual(newestFirst)
		const inSpace = (id: number) =>
			world.ask(posts.listSpacePosts, { params: { spaceId: String(id) }, query: {} }, ada)
		expect(ids((await inSpace(spaceId)).ok)).toEqual(newestFirst.slice(1))
		expect((await inSpace(hidden)).status).toBe(404)
	})

	test('pages through the home feed by cursor without duplicates or gaps while posts are added', async () => {
		const second = await community.space()
		const postIds: number[] = []
		for (let i = 0; i < 7; i++)
			postIds.push(
				await community.post(i % 2 ? second : spaceId, { created_at: world.now - Math.floor(i / 2) }),
			)
		const order = await select<{ id: number }>(
			world,
			'select id from posts order by created_at desc, id desc',
		)
		const seen: number[] = []
		let query: Record<string, string> = { per_page: '3', page: '1' }
		for (let step = 0; step < 3; step++) {
			const page = await world.ask(posts.listHomePosts, { query }, ada)
			seen.push(...page.ok.records.map(({ id }) => id))
			expect(page.ok.page).toBe(1)
			expect(page.ok.has_next_page).toBe(step < 2)
			const cursor = page.headers.get('x-next-cursor')
			expect(cursor === null).toBe(step === 2)
			if (cursor === null) break
			const next = new URL(/<(.+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? '', 'https://x')
			expect([next.searchParams.get('cursor'), next.searchParams.has('page')]).toEqual([cursor, false])
			query = { per_page: '3', cursor }
			// Adds posts at the instant of the newest ones and later.
			for (const created_at of [world.now, world.now + 5, world.now + 9])
				await community.post(step ? second : spaceId, { created_at })
		}
		expect(seen).toEqual(order.map(({ id }) => id))
		for (const bad of [{ cursor: 'x' }, { ...query, page: '2' }])
			expect((await world.ask(posts.listHomePosts, { query: bad }, ada)).status).toBe(400)
	})

	test('tags posts with topics of the community and counts them per space', { tags: 'd1' }, async () => {
		const [films, books] = [await topic('films'), await topic('books')]
		const listed = await world.ask(
			listCommunityTopics,
			{ params: { communityId: String(community.id) } },
			community.owner,
		)
		expect(listed.ok.data).toEqual([books, films])
		const both = await write({ body: 'b', topics: [films.id, books.id, films.id] })
		expect(both.ok.topics).toHaveLength(2)
		expect((await read(both.ok.id)).ok.topics).toEqual(both.ok.topics)
		const one = await write({ body: 'b', topics: [films.id] })
		const before = await world.dump()
		expect((await write({ body: 'b', topics: [99] })).status).toBe(400)
		expect(await world.dump()).toEqual(before)
		const counts = async () =>
			(await world.ask(listTopics, { params: { spaceId: String(spaceId) } }, ada)).ok.records.map(
				({ slug, posts_count }) => [slug, posts_count],
			)
		expect(await counts()).toEqual([
			['films', 2],
			['books', 1],
		])
		await world.ask(posts.deletePost, at(both.ok.id), moderator)
		await world.ask(posts.deletePost, at(both.ok.id), moderator)
		expect(await counts()).toEqual([['films', 1]])
		await world.ask(posts.deletePost, at(one.ok.id), ada)
		expect(await counts()).toEqual([])
	})

	test('shows a renamed topic under its new name and omits a deleted one', async () => {
		const [films, books] = [await topic('films'), await topic('books')]
		const { id } = (await write({ body: 'b', topics: [films.id, books.id] })).ok
		const of = (topicId: number) => ({ communityId: String(community.id), topicId: String(topicId) })
		const rename = (body: object, who = community.owner) =>
			world.ask(updateCommunityTopic, { params: of(films.id), body: body as never }, who)
		const other = await openCommunity(world, 'other')
		expect((await rename({ name: 'Mine' }, other.owner)).status).toBe(404)
		expect((await rename({ slug: 'books' })).status).toBe(409)
		const cinema = { id: films.id, name: 'Cinema', slug: 'films' }
		expect((await rename({ name: 'Cinema' })).ok.data).toEqual(cinema)
		expect((await read(id)).ok.topics).toEqual([cinema, books])

		const remove = (who = community.owner) => world.ask(deleteCommunityTopic, { params: of(films.id) }, who)
		expect((await remove(other.owner)).status).toBe(404)
		expect((await remove()).ok.data).toEqual({ id: films.id, deleted: true })
		expect((await remove()).status).toBe(404)
		expect((await read(id)).ok.topics).toEqual([books])
		const counts = () =>
			select(world, `select tag_id, posts_count from space_topics where space_id = ${spaceId}`)
		expect(await counts()).toEqual([{ tag_id: books.id, posts_count: 1 }])
		// A later update must not subtract the deleted topic again.
		expect((await world.ask(posts.updatePost, { ...at(id), body: { topics: [] } }, ada)).status).toBe(200)
		expect(await counts()).toEqual([{ tag_id: books.id, posts_count: 0 }])
		expect((await write({ body: 'b', topics: [films.id] })).status).toBe(400)
	})

	test('replaces any set of topics by any other', { tags: 'd1' }, async () => {
		const all: number[] = []
		for (const slug of ['a', 'b', 'c']) all.push((await topic(slug)).id)
		const sets = Array.from({ length: 8 }, (_, bits) => all.filter((_, i) => (bits >> i) & 1))
		const { id } = (await write({ body: 'b' })).ok
		for (const from of sets)
			for (const to of sets) {
				const change = (topics: number[]) =>
					world.ask(posts.updatePost, { ...at(id), body: { topics: topics.toReversed() } }, ada)
				await change(from)
				const changed = await change(to)
				expect(
					changed.ok.topics.map((one) => one.id),
					`${from} to ${to}`,
				).toEqual(to)
				expect(await select(world, 'select topics from posts')).toEqual([{ topics: JSON.stringify(to) }])
				const countedTopics = await select(
					world,
					'select tag_id from space_topics where posts_count = 1 order by tag_id',
				)
				expect(countedTopics).toEqual(to.map((tag_id) => ({ tag_id })))
			}
		expect(await select(world, 'select 1 from space_topics where posts_count not in (0, 1)')).toEqual([])
	})

	test("rejects posts in spaces that the author can't see", { tags: 'd1' }, async () => {
		const hidden = await community.space({ visibility: 'private' })
		expect((await write({ body: 'b' }, ada, hidden)).status).toBe(404)
		expect((await write({ body: 'b', topics: [99] }, ada, hidden)).status).toBe(404)
		const postId = await community.post(hidden, { author_id: ada.userId })
		for (const answer of [
			await read(postId),
			await world.ask(posts.updatePost, { ...at(postId), body: { body: 'x' } }, ada),
			await world.ask(posts.deletePost, at(postId), ada),
			await world.ask(posts.deletePost, at(postId), moderator),
			await world.ask(comments.listPostComments, { ...at(postId), query: {} }, ada),
			await comment(postId),
		])
			expect(answer.status).toBe(404)
	})
})

describe('comments', { tags: 'd1' }, () => {
	test('creates, updates, deletes and counts comments on two levels', async () => {
		const { id: postId } = (await write({ body: 'b' })).ok
		const first = (await comment(postId, 'First')).ok
		expect(first).toEqual({
			id: 1,
			post_id: postId,
			parent_comment_id: null,
			body: 'First',
			created_at: expect.any(String),
			updated_at: expect.any(String),
			author: {
				id: ada.userId,
				community_member_id: ada.memberId,
				name: expect.any(String),
				avatar_url: 'https://example.org/ada.png',
				role: 'member',
				headline: null,
			},
			removed_at: null,
			replies_count: 0,
			replies: [],
			reactions: {},
			my_reaction: null,
			is_liked: false,
			user_likes_count: 0,
			policies: {
				can_edit: true,
				can_delete: true,
				can_reply: true,
				can_react: true,
				can_report: true,
				can_hide: false,
			},
			hidden_at: null,
			hidden_reason: null,
		})
		const answer = (await reply(first.id, 'Second', bo)).ok
		expect(answer).toMatchObject({ parent_comment_id: first.id, post_id: postId })
		expect((await reply(answer.id)).status).toBe(404)
		await reply(first.id, 'Third')
		await comment(postId, 'Fourth', bo)
		const list = async () =>
			(await world.ask(comments.listPostComments, { ...at(postId), query: {} }, ada)).ok.records
		expect((await list()).map((one) => [one.body, one.replies_count])).toEqual([
			['First', 2],
			['Fourth', 0],
		])
		const replies = (query = {}) => world.ask(comments.listReplies, { ...of(first.id), query }, ada)
		expect((await replies()).ok.records.map((one) => one.body)).toEqual(['Second', 'Third'])
		expect((await replies({ per_page: '1' })).ok).toMatchObject({ has_next_page: true })
		expect((await read(postId)).ok.comments_count).toBe(4)
		const change = (who: Member) =>
			world.ask(comments.updatePostComment, { ...of(answer.id), body: { body: 'New' } }, who)
		expect((await change(bo)).ok.body).toBe('New')
		expect((await change(ada)).status).toBe(403)
		const remove = (id: number, who: Member) => world.ask(comments.deletePostComment, of(id), who)
		expect((await remove(answer.id, ada)).status).toBe(403)
		expect((await remove(answer.id, bo)).ok).toEqual({ success: true })
		expect((await remove(answer.id, bo)).status).toBe(404)
		expect((await list())[0]?.replies_count).toBe(1)
		expect((await read(postId)).ok.comments_count).toBe(3)
		expect((await remove(first.id, moderator)).status).toBe(200)
		expect((await list()).map((one) => one.body)).toEqual(['', 'Fourth'])
		expect((await replies()).status).toBe(200)
		expect((await read(postId)).ok.comments_count).toBe(2)
	})

	test('keeps comment counts correct through random changes', async () => {
		const postIds = [await community.post(spaceId), await community.post(spaceId)]
		const Act = fc.record({
			kind: fc.constantFrom('comment', 'comment', 'reply', 'reply', 'delete'),
			which: fc.nat({ max: 30 }),
			who: fc.constantFrom('ada', 'bo', 'moderator'),
		})
		await fc.assert(
			fc.asyncProperty(fc.array(Act, { minLength: 20, maxLength: 60 }), async (acts) => {
				const known: number[] = []
				const people = { ada, bo, moderator } as Record<string, Member>
				for (const { kind, which, who } of acts) {
					const person = people[who] as Member
					const id = known[which % Math.max(known.length, 1)] ?? 0
					if (kind === 'comment') known.push((await comment(postIds[which % 2] ?? 0, 'c', person)).ok.id)
					else if (kind === 'delete') await world.ask(comments.deletePostComment, of(id), person)
					else {
						const created = await reply(id, 'r', person)
						if (created.status === 201) known.push(created.ok.id)
					}
				}
				const wrong = await select(
					world,
					`select 'post', id from posts p where comments_count <> (select count(*) from post_comments c where c.post_id = p.id and c.deleted_at is null)
					union all select 'comment', id from post_comments p where (deleted_at is null or exists (select 1 from post_comments c where c.parent_id = p.id and c.deleted_at is null)) and replies_count <> (select count(*) from post_comments c where c.parent_id = p.id and c.deleted_at is null)`,
				)
				expect(wrong).toEqual([])
			}),
			{ numRuns: propertyRuns(8) },
		)
	})
})
