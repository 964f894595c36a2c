import { z } from 'zod'
import { pathInt, UserId } from '../fields.ts'
import { operation } from '../operation.ts'
import { fixedList, Id } from './fields.ts'

const tag = 'Community: post followers'
const params = z.object({ postId: pathInt })

export const Follower = z
	.object({
		id: Id,
		post_id: Id,
		community_member_id: UserId.meta({ description: 'The id of the user, as the specification has it' }),
		name: z.string(),
		avatar_url: z.string().nullable(),
	})
	.meta({ id: 'PostFollower' })
export type Follower = z.infer<typeof Follower>

const following = <T extends boolean>(is: T) =>
	z.object({ success: z.literal(true), is_following: z.literal(is) })

export const listPostFollowers = operation({
	id: 'listPostFollowers',
	method: 'get',
	path: '/api/headless/v1/posts/{postId}/post_followers',
	tag,
	summary: 'Who follows a post, first follower first',
	auth: 'member',
	params,
	status: 200,
	response: fixedList(Follower),
})

export const followPost = operation({
	id: 'followPost',
	method: 'post',
	path: '/api/headless/v1/posts/{postId}/post_followers',
	tag,
	summary: 'Follow a post; once is enough',
	auth: 'member',
	params,
	status: 200,
	response: following(true),
})

export const unfollowPost = operation({
	id: 'unfollowPost',
	method: 'delete',
	path: '/api/headless/v1/posts/{postId}/post_followers',
	tag,
	summary: 'Stop following a post',
	description:
		'Succeeds when the caller does not follow it. A follow of a post that the caller does not see any more can still be taken away.',
	auth: 'member',
	params,
	status: 200,
	response: following(false),
})
