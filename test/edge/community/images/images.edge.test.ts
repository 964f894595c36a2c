import { beforeAll, describe, expect, test } from 'vitest'
import { addPostImage, deleteImage, getImage, updateImage } from '#schema/contract/community/member/images.ts'
import {
	listCommentReactions,
	listPostReactions,
	react,
} from '#schema/contract/community/member/post-reactions.ts'
import { createPost, getPost, updatePost } from '#schema/contract/community/member/posts.ts'
import { listTopics } from '#schema/contract/community/member/spaces.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { wholePng as png } from '../../../support/shared/whole-pictures.ts'
import { type Community, insert, openCommunity, select } from '../community.ts'

type Member = Awaited<ReturnType<Community['join']>>
let world: World
let fixture: Community
let ada: Member
let bob: Member
let moderator: Member
let spaceId: number
beforeAll(async () => {
	world = await openWorld()
	fixture = await openCommunity(world)
	;[ada, bob] = [await fixture.member(), await fixture.member()]
	moderator = await fixture.member({ role: 'moderator' })
	spaceId = await fixture.space()
})

const post = async (who: Member, topics: number[] = []) =>
	(
		await world.ask(
			createPost,
			{ params: { spaceId: String(spaceId) }, body: { body: 'Hello', topics } },
			who,
		)
	).ok.id
const at = (postId: number) => ({ params: { postId: String(postId) } })
const of = (imageId: number) => ({ params: { imageId: String(imageId) } })
const add = (postId: number, who: Member, bytes: BodyInit = png) =>
	world.ask(addPostImage, at(postId), { ...who, bytes })

describe('post images', () => {
	const storedFiles = async () => (await world.bindings.VAULT.list({ prefix: 'communities/' })).objects.length

	test('accepts images from the author of a post and serves them to members who see the post', async () => {
		const before = await storedFiles()
		const postId = await post(ada)
		const added = await add(postId, ada)
		expect(added.status).toBe(201)
		const { id } = added.ok
		expect(added.ok).toEqual({
			id,
			url: expect.stringContaining(`/api/headless/v1/images/${id}/file?token=`),
			content_type: 'image/png',
			width: 2,
			height: 3,
			alt: null,
			reactions: {},
			my_reaction: null,
		})
		expect((await world.ask(getPost, at(postId), bob)).ok.images).toEqual([added.ok])
		const picture = await world.ask(getImage, of(id), bob)
		expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
		expect(picture.headers.get('cache-control')).toMatch(/^private/)
		expect(
			(await world.ask(react, { body: { reactable_type: 'Image', reactable_id: id } }, bob)).status,
		).toBe(200)
		expect((await world.ask(deleteImage, of(id), bob)).status).toBe(403)
		expect((await world.ask(deleteImage, of(id), ada)).ok).toEqual({ success: true })
		expect((await world.ask(getImage, of(id), bob)).status).toBe(404)
		expect((await world.ask(deleteImage, of(id), ada)).status).toBe(404)
		expect((await world.ask(deleteImage, of(id), fixture.owner)).status).toBe(404)
		expect(await storedFiles()).toBe(before)
		expect(await select(world, 'select id from post_reactions where image_id is not null')).toEqual([])
	})

	test('descriptions of images can be set and removed only by the author of the post', async () => {
		const postId = await post(ada)
		const { id } = (await add(postId, ada)).ok
		const describeAs = (who: Member, alt: string | null) =>
			world.ask(updateImage, { ...of(id), body: { alt } }, who)
		const described = await describeAs(ada, ' A boat\nin fog ')
		expect(described.ok).toMatchObject({ id, alt: 'A boat\nin fog', width: 2 })
		expect((await world.ask(getPost, at(postId), bob)).ok.images[0]?.alt).toBe('A boat\nin fog')
		for (const who of [bob, moderator]) expect((await describeAs(who, 'Mine')).status).toBe(403)
		for (const alt of ['', 'x'.repeat(1_001)]) expect((await describeAs(ada, alt)).status).toBe(400)
		expect((await describeAs(ada, null)).ok.alt).toBeNull()
		await world.ask(deleteImage, of(id), ada)
		expect((await describeAs(ada, 'Gone')).status).toBe(404)
	})

	test('rejects other files, an eleventh image and images from other members', async () => {
		const before = await storedFiles()
		const postId = await post(ada)
		expect((await add(postId, ada, 'GIF89a')).status).toBe(400)
		expect((await add(postId, ada, png.slice(0, 50))).status).toBe(400)
		expect((await add(postId, bob)).status).toBe(403)
		expect((await add(postId + 999, ada)).status).toBe(404)
		const answers = await Promise.all(Array.from({ length: 14 }, () => add(postId, ada)))
		expect(answers.map(({ status }) => status).sort()).toEqual([
			...Array(10).fill(201),
			...Array(4).fill(409),
		])
		expect(await storedFiles()).toBe(before + 10)
		const [image] = (await world.ask(getPost, at(postId), ada)).ok.images
		expect((await world.ask(deleteImage, of(image?.id ?? 0), moderator)).status).toBe(200)
	})

	test('hides images in invisible spaces and of deleted posts', async () => {
		const hidden = await fixture.space({ visibility: 'secret' })
		const postId = await fixture.post(hidden, { author_id: ada.userId })
		await fixture.grant([ada.memberId], [hidden])
		const { id } = (await add(postId, ada)).ok
		expect((await world.ask(getImage, of(id), ada)).status).toBe(200)
		for (const op of [getImage, deleteImage]) expect((await world.ask(op, of(id), bob)).status).toBe(404)
		expect((await add(postId, bob)).status).toBe(404)
		await select(world, `update posts set deleted_at = 1 where id = ${postId} returning 1`)
		expect((await world.ask(getImage, of(id), ada)).status).toBe(404)
	})
})

test('updates the topic counts when the topics of a post change', async () => {
	const tags = []
	for (const slug of ['a', 'b', 'c'])
		tags.push(await insert(world, 'tags', { community_id: fixture.id, name: slug, slug, created_at: 1 }))
	const [a, b, c] = tags as [number, number, number]
	const foreign = await insert(world, 'tags', { community_id: 999, name: 'x', slug: 'x', created_at: 1 })
	const postId = await post(ada, [a, b])
	await post(ada, [b])
	const change = (topics: number[], who: Member = ada) =>
		world.ask(updatePost, { ...at(postId), body: { topics } }, who)
	const counts = async () =>
		Object.fromEntries(
			(await world.ask(listTopics, { params: { spaceId: String(spaceId) } }, ada)).ok.records
				.filter((topic) => topic.posts_count > 0)
				.map((topic) => [topic.slug, topic.posts_count]),
		)
	const before = await counts()
	expect(before).toMatchObject({ a: 1, b: 2 })
	for (const [topics, who, status] of [
		[[c], bob, 403],
		[[c, foreign], ada, 400],
	] as const)
		expect((await change([...topics], who)).status).toBe(status)
	expect(await counts()).toEqual(before)
	expect((await change([b, c])).ok.topics.map((topic) => topic.slug)).toEqual(['b', 'c'])
	expect(await counts()).toEqual({ b: 2, c: 1 })
	expect((await change([b, c])).status).toBe(200)
	expect(await counts()).toEqual({ b: 2, c: 1 })
	expect((await change([])).ok.topics).toEqual([])
	expect(await counts()).toEqual({ b: 1 })
})

test('lists reactions by emoji, only for members who see the target', async () => {
	const postId = await post(ada)
	for (const [who, reaction] of [
		[ada, 'like'],
		[bob, '🎉'],
		[moderator, 'like'],
	] as const)
		await world.ask(react, { body: { reactable_type: 'Post', reactable_id: postId, reaction } }, who)
	const { ok } = await world.ask(listPostReactions, { ...at(postId), query: {} }, bob)
	expect(ok.records.map((row) => [row.reaction, row.community_member_id])).toEqual([
		['like', ada.memberId],
		['like', moderator.memberId],
		['🎉', bob.memberId],
	])
	const second = await world.ask(
		listPostReactions,
		{ ...at(postId), query: { page: '2', per_page: '2' } },
		bob,
	)
	expect(second.ok).toMatchObject({ has_next_page: false, records: [{ reaction: '🎉' }] })
	const hidden = await fixture.space({ visibility: 'private' })
	const secret = await fixture.post(hidden)
	const comment = await insert(world, 'post_comments', {
		community_id: fixture.id,
		post_id: secret,
		body: 'c',
		created_at: 1,
		updated_at: 1,
	})
	expect((await world.ask(listPostReactions, { ...at(secret), query: {} }, bob)).status).toBe(404)
	const params = { commentId: String(comment) }
	expect((await world.ask(listCommentReactions, { params, query: {} }, bob)).status).toBe(404)
	expect((await world.ask(listCommentReactions, { params, query: {} }, fixture.owner)).ok.records).toEqual([])
})
