import { beforeEach, expect, test } from 'vitest'
import { followPost, listPostFollowers, unfollowPost } from '#schema/contract/community/member/followers.ts'
import {
	listNotifications,
	updateNotificationPreferences,
} from '#schema/contract/community/member/notifications.ts'
import {
	createPostComment,
	createReply,
	deletePostComment,
} from '#schema/contract/community/member/post-comments.ts'
import { createPost, getPost } from '#schema/contract/community/member/posts.ts'
import { MAX_DEFAULT_FOLLOWERS } from '../../../../edge/community/participation/default-follow-store.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { type Community, openCommunity, select } from '../community.ts'

type Member = Awaited<ReturnType<Community['member']>>
let world: World
let community: Community
let ada: Member
let bo: Member
let cleo: Member
let spaceId: number
let postId: number

beforeEach(async () => {
	world = await openWorld()
	community = await openCommunity(world)
	ada = await community.member()
	bo = await community.member()
	cleo = await community.member()
	spaceId = await community.space()
	const params = { spaceId: String(spaceId) }
	const created = (await world.ask(createPost, { params, body: { body: 'Hello' } }, ada)).ok
	expect(created.is_following).toBe(true)
	postId = created.id
	await world.deliver()
})

const on = () => ({ params: { postId: String(postId) } })
const comment = async (who: Member) => {
	const { id } = (await world.ask(createPostComment, { ...on(), body: { body: 'Nice' } }, who)).ok
	await world.deliver()
	return id
}
const reply = async (who: Member, commentId: number) => {
	await world.ask(createReply, { params: { commentId: String(commentId) }, body: { body: 'So' } }, who)
	await world.deliver()
}
const isFollowing = async (who: Member) => (await world.ask(getPost, on(), who)).ok.is_following
const unfollow = async (who: Member) => (await world.ask(unfollowPost, on(), who)).status
const preferNotToFollow = (who: Member) =>
	world.ask(updateNotificationPreferences, { body: { follow_participated_posts: false } }, who)
const kindsOf = async (who: Member) =>
	(await world.ask(listNotifications, {}, who)).ok.records.map(({ kind }) => kind)
const followers = async () =>
	(await world.ask(listPostFollowers, on(), ada)).ok.records.map(({ membership_id }) => membership_id)

test('members follow the posts that they write, comment on, or reply to, and hear of later comments once', async () => {
	const first = await comment(bo)
	await reply(cleo, first)
	expect(await followers()).toEqual([ada, bo, cleo].map(({ memberId }) => memberId))
	await comment(cleo)
	expect(await kindsOf(ada)).toEqual(['post_comment', 'post_comment', 'post_comment'])
	expect(await kindsOf(bo)).toEqual(['followed_post_comment', 'comment_reply'])
	expect(await kindsOf(cleo)).toEqual([])
})

test('a member who unfollowed a post hears of replies to own comments only, and does not follow it again by writing', async () => {
	const own = await comment(bo)
	for (let i = 0; i < 2; i++) expect(await unfollow(bo)).toBe(200)
	await comment(cleo)
	await comment(bo)
	expect(await isFollowing(bo)).toBe(false)
	expect(await kindsOf(bo)).toEqual([])
	await reply(cleo, own)
	expect(await kindsOf(bo)).toEqual(['comment_reply'])
	await world.ask(followPost, on(), bo)
	expect(await isFollowing(bo)).toBe(true)
})

test('an author who unfollowed the own post is not notified of comments on it', async () => {
	expect(await unfollow(ada)).toBe(200)
	await comment(bo)
	expect([await isFollowing(ada), await kindsOf(ada)]).toEqual([false, []])
})

test('an author who unfollows a post before its follower is written stays unfollowed', async () => {
	const params = { spaceId: String(spaceId) }
	postId = (await world.ask(createPost, { params, body: { body: 'Again' } }, ada)).ok.id
	expect(await unfollow(ada)).toBe(200)
	await world.deliver()
	expect(await isFollowing(ada)).toBe(false)
})

test('a member whose preference is off follows nothing by writing', async () => {
	await preferNotToFollow(bo)
	await comment(bo)
	const params = { spaceId: String(spaceId) }
	const body = { body: 'Mine' }
	expect((await world.ask(createPost, { params, body }, bo)).ok.is_following).toBe(false)
	await world.deliver()
	expect(await select(world, `select 1 from post_followers where user_id = ${bo.userId}`)).toEqual([])
})

test('a comment that was deleted before its message makes nobody follow, and a repeated message follows once', async () => {
	const id = (await world.ask(createPostComment, { ...on(), body: { body: 'Oh' } }, bo)).ok.id
	await world.ask(deletePostComment, { params: { commentId: String(id) } }, bo)
	await world.deliver()
	expect(await followers()).toEqual([ada.memberId])
	await world.ask(createPostComment, { ...on(), body: { body: 'Oh' } }, bo)
	const messages = world.messages.splice(0)
	await Promise.all([world.deliver([...messages]), world.deliver([...messages])])
	expect(await followers()).toEqual([ada.memberId, bo.memberId])
})

test('a post with many followers is followed only by members who ask for it', async () => {
	await select(
		world,
		`insert into post_followers (user_id, post_id, created_at)
		with recursive n(i) as (select 1 union all select i + 1 from n where i < ${MAX_DEFAULT_FOLLOWERS - 1})
		select 1000000 + i, ${postId}, 1 from n returning id`,
	)
	await comment(bo)
	expect(await isFollowing(bo)).toBe(false)
	await world.ask(followPost, on(), bo)
	expect(await isFollowing(bo)).toBe(true)
})
