import { beforeEach, expect, test } from 'vitest'
import * as comments from '#schema/contract/community/member/post-comments.ts'
import * as posts from '#schema/contract/community/member/posts.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { type Community, openCommunity } from '../community.ts'

let world: World
let community: Community
let ada: Awaited<ReturnType<Community['member']>>
let space: { params: { spaceId: string } }
beforeEach(async () => {
	world = await openWorld()
	community = await openCommunity(world)
	ada = await community.member()
	space = { params: { spaceId: String(await community.space()) } }
})

const create = (body: unknown) => world.ask(posts.createPost, { ...space, body: body as never }, ada)

test('a post can be created and updated with its fields in an object named post', async () => {
	const created = await create({ post: { name: 'Hello', body: 'World' } })
	expect(created.ok).toMatchObject({ name: 'Hello', body: 'World' })

	const of = { params: { postId: String(created.ok.id) } }
	const updated = await world.ask(posts.updatePost, { ...of, body: { post: { body: 'Moon' } } as never }, ada)
	expect(updated.ok).toMatchObject({ name: 'Hello', body: 'Moon' })
})

test('comments and replies can be created and updated with their text in an object named comment', async () => {
	const post = (await create({ body: 'World' })).ok
	const wrapped = (body: string) => ({ body: { comment: { body } } as never })
	const of = { params: { postId: String(post.id) } }
	const root = await world.ask(comments.createPostComment, { ...of, ...wrapped('One') }, ada)
	expect(root.ok.body).toBe('One')

	const onRoot = { params: { commentId: String(root.ok.id) } }
	const reply = await world.ask(comments.createReply, { ...onRoot, ...wrapped('Two') }, ada)
	expect(reply.ok).toMatchObject({ body: 'Two', parent_comment_id: root.ok.id })

	const updated = await world.ask(comments.updatePostComment, { ...onRoot, ...wrapped('Three') }, ada)
	expect(updated.ok.body).toBe('Three')
})

test.each([
	[{ post: { body: 'World' }, name: 'Hello' }, 'inside and outside of post'],
	[{ post: { body: 'World', bdy: 'x' } }, 'unknown field bdy'],
	[{ post: { post: { body: 'World' } } }, 'unknown field post'],
	[{ comment: { body: 'World' } }, 'unknown field comment'],
	[{ post: 'World' }, 'object'],
	[{ post: null }, 'object'],
	[{ post: [] }, 'object'],
])('a post sent as %j is rejected with an error that says "%s"', async (body, message) => {
	const response = await create(body)
	expect(response.status).toBe(400)
	expect(response.error).toContain(message)
	const list = await world.ask(posts.listSpacePosts, { ...space, query: {} }, ada)
	expect(list.ok.records).toEqual([])
})
