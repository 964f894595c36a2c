import { beforeEach, expect, test } from 'vitest'
import { createBookmark, listBookmarks } from '#schema/contract/community/member/bookmarks.ts'
import { flagContent, listFlags } from '#schema/contract/community/member/moderation.ts'
import * as comments from '#schema/contract/community/member/post-comments.ts'
import * as posts from '#schema/contract/community/member/posts.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { type Community, openCommunity } from '../community.ts'

let world: World
let community: Community
let ada: Awaited<ReturnType<Community['member']>>
let params: { spaceId: string }
beforeEach(async () => {
	world = await openWorld()
	community = await openCommunity(world)
	ada = await community.member()
	params = { spaceId: String(await community.space()) }
})

const rich = (...texts: string[]) => ({
	body: {
		type: 'doc',
		content: texts.map((text) => ({ type: 'paragraph', content: [{ type: 'text', text }] })),
	},
})
const create = (body: unknown) => world.ask(posts.createPost, { params, body: body as never }, ada)

test('a post can be created and updated with rich text, whose plain text is stored', async () => {
	const created = await create({
		post: { name: 'Hi', tiptap_body: rich('One', 'Two'), is_liking_enabled: true },
	})
	expect(created.ok).toMatchObject({ name: 'Hi', body: 'One\n\nTwo' })
	const of = { params: { postId: String(created.ok.id) } }
	const updated = await world.ask(
		posts.updatePost,
		{ ...of, body: { tiptap_body: rich('Three') } as never },
		ada,
	)
	expect(updated.ok).toMatchObject({ name: 'Hi', body: 'Three' })
})

test('comments and replies can be created with rich text', async () => {
	const postId = String((await create({ body: 'x' })).ok.id)
	const body = { comment: { tiptap_body: rich('One') } } as never
	const root = await world.ask(comments.createPostComment, { params: { postId }, body }, ada)
	expect(root.ok.body).toBe('One')
	const reply = await world.ask(
		comments.createReply,
		{ params: { commentId: String(root.ok.id) }, body },
		ada,
	)
	expect(reply.ok).toMatchObject({ body: 'One', parent_comment_id: root.ok.id })
})

test.each([
	[{ tiptap_body: { body: { type: 'doc', content: [{ type: 'poll' }] } } }, 'tiptap_body: the node poll'],
	[{ tiptap_body: rich('x'), body: 'x' }, 'unknown field body'],
	[{ tiptap_body: rich('x'), cover_image: 'x' }, 'unknown field cover_image'],
	[{ tiptap_body: rich('x'), is_comments_enabled: false }, 'is_comments_enabled'],
	[{ tiptap_body: rich('   ') }, 'body: must not be empty'],
	[{ tiptap_body: rich('x'.repeat(50_001)) }, 'body: '],
	[{ tiptap_body: 'x' }, 'tiptap_body'],
	[{ tiptap_body: { body: { type: 'paragraph' } } }, 'tiptap_body.body.type'],
])('a post with the body %j is rejected with an error that says "%s"', async (body, message) => {
	for (const sent of [body, { post: body }]) {
		const response = await create(sent)
		expect([response.status, response.error]).toEqual([400, expect.stringContaining(message)])
	}
})

test('creating a bookmark accepts the field names of Circle', async () => {
	const postId = (await create({ body: 'x' })).ok.id
	const ask = (body: unknown) => world.ask(createBookmark, { body: body as never }, ada)
	expect((await ask({ bookmark_type: 'post', record_id: postId })).status).toBe(201)
	expect((await ask({ bookmark_type: 'post', record_id: postId })).status).toBe(200)
	expect((await ask({ bookmark_type: 'comment', record_id: postId })).status).toBe(400)
	// The fields of the specification win.
	expect((await ask({ bookmarkable_id: postId, record_id: 987_654 })).status).toBe(200)
	const { ok } = await world.ask(listBookmarks, { query: {} }, ada)
	expect(ok.records.map((one) => one.record_id)).toEqual([postId])
})

test('flagging content accepts the field names of Circle, and joins both reasons', async () => {
	const postId = (await create({ body: 'x' })).ok.id
	const flag = {
		flagged_contentable_type: 'Post',
		flagged_contentable_id: postId,
		reported_reason_type: 'against_guidelines',
		reported_reason_body: 'Rude',
	}
	const ask = (body: unknown) => world.ask(flagContent, { body: body as never }, ada)
	expect((await ask({ flagged_content: flag })).status).toBe(201)
	expect((await ask({ flagged_content: { ...flag, reported_reason_type: 'dull' } })).status).toBe(400)
	const { ok } = await world.ask(listFlags, { query: {} }, community.owner)
	expect(ok.records.map((one) => one.reason)).toEqual(['against guidelines: Rude'])
})
