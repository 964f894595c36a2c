import { beforeEach, expect, test } from 'vitest'
import * as moderation from '#schema/contract/community/member/moderation.ts'
import {
	countNotifications,
	listNotifications,
	updateNotificationPreferences,
} from '#schema/contract/community/member/notifications.ts'
import { createPostComment, createReply } from '#schema/contract/community/member/post-comments.ts'
import { deletePost } from '#schema/contract/community/member/posts.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { type Community, openCommunity, select } from '../community.ts'

type Member = Awaited<ReturnType<Community['member']>>

let world: World
let community: Community
let ada: Member
let bo: Member
let moderator: Member
let spaceId: number
let post: { params: { postId: string } }
beforeEach(async () => {
	world = await openWorld()
	community = await openCommunity(world)
	ada = await community.member()
	bo = await community.member()
	moderator = await community.member({ role: 'moderator' })
	spaceId = await community.space()
	const id = await community.post(spaceId, { author_id: ada.userId, body: 'Buy this' })
	post = { params: { postId: String(id) } }
})

const body = { reason: 'Advertising' }
const hidePost = (who: Member = moderator) => world.ask(moderation.hidePost, { ...post, body }, who)
const restorePost = () => world.ask(moderation.restorePost, post, moderator)
const heard = async (who: Member) =>
	(await world.ask(listNotifications, { query: {} }, who)).ok.records.map(
		({ kind, reason, excerpt, actor, post_id, comment_id }) => ({
			kind,
			reason,
			excerpt,
			actor,
			post_id,
			comment_id,
		}),
	)
const kinds = async (who: Member) => (await heard(who)).map(({ kind }) => kind)

test('the author of a hidden post gets a notification with the reason, which names no moderator', async () => {
	expect((await hidePost()).status).toBe(200)
	expect(await heard(ada)).toEqual([
		{
			kind: 'post_hidden',
			reason: 'Advertising',
			excerpt: 'Buy this',
			actor: null,
			post_id: Number(post.params.postId),
			comment_id: null,
		},
	])
	expect((await world.ask(countNotifications, {}, ada)).ok.unread).toBe(1)
	for (const who of [bo, moderator]) expect(await heard(who)).toEqual([])
})

test('the author of a restored post gets a notification, and the first one loses its reason', async () => {
	await hidePost()
	expect((await restorePost()).status).toBe(200)
	expect((await heard(ada)).map(({ kind, reason }) => [kind, reason])).toEqual([
		['post_restored', null],
		['post_hidden', null],
	])
})

test('concurrent requests to hide or restore a post notify its author once', async () => {
	const others = [await community.member({ role: 'moderator' }), moderator, community.owner as Member]
	await Promise.all(others.map((who) => hidePost({ ...who, headers: community.headers })))
	expect(await kinds(ada)).toEqual(['post_hidden'])
	await Promise.all([restorePost(), restorePost()])
	expect(await kinds(ada)).toEqual(['post_restored', 'post_hidden'])
})

test('the authors of a hidden comment and its replies get one notification each', async () => {
	const comment = await world.ask(createPostComment, { ...post, body: { body: 'Spam' } }, bo)
	const at = { params: { commentId: String(comment.ok.id) } }
	for (const who of [ada, ada, bo, moderator])
		await world.ask(createReply, { ...at, body: { body: 'So' } }, who)
	await select(world, 'delete from notifications returning 1')
	await world.ask(moderation.hideComment, { ...at, body }, moderator)
	expect(await heard(bo)).toMatchObject([
		{ kind: 'comment_hidden', reason: 'Advertising', excerpt: 'Spam', comment_id: comment.ok.id },
	])
	expect(await heard(ada)).toMatchObject([
		{ kind: 'comment_hidden', reason: 'The comment above was hidden', excerpt: 'So' },
	])
	expect(await heard(moderator)).toEqual([])
	await world.ask(moderation.restoreComment, at, moderator)
	await world.ask(moderation.restoreComment, at, moderator)
	for (const who of [ada, bo]) expect(await kinds(who)).toEqual(['comment_restored', 'comment_hidden'])
})

test('authors who hide their own post, left, were banned, muted the kind or lost the space get no notification', async () => {
	const isSilent = async (prepare: () => Promise<unknown>) => {
		await prepare()
		expect((await hidePost()).status).toBe(200)
		expect(await select(world, 'select * from notifications')).toEqual([])
		await select(world, `update memberships set status = 'active' where id = ${ada.memberId} returning 1`)
		await select(world, `update spaces set visibility = 'public' returning 1`)
		await restorePost()
		await select(world, 'delete from notifications returning 1')
	}
	for (const status of ['inactive', 'banned'])
		await isSilent(() =>
			select(world, `update memberships set status = '${status}' where id = ${ada.memberId} returning 1`),
		)
	await isSilent(async () => {
		await community.grant([moderator.memberId], [spaceId])
		await select(world, `update spaces set visibility = 'private' returning 1`)
	})
	await isSilent(() => world.ask(updateNotificationPreferences, { body: { post_hidden: false } }, ada))
	await isSilent(() =>
		select(
			world,
			`update posts set author_id = ${moderator.userId} where id = ${post.params.postId} returning 1`,
		),
	)
})

test('a deleted post notifies no author, and takes its notification of being hidden with it', async () => {
	await hidePost()
	await restorePost()
	await world.ask(deletePost, post, moderator)
	expect(await heard(ada)).toEqual([])
})
