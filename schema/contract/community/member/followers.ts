import { z } from 'zod'
import { openBySpecification } from '../../kit/bodies/open-bodies.ts'
import { pathInt, UserId } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { CommunityMemberId, fixedListSchema, Id } from '../fields.ts'

const operation = describeOperations('Community: post followers')
const params = z.object({ postId: pathInt })

export const Follower = z
	.object({
		id: Id,
		post_id: Id,
		community_member_id: UserId.meta({
			description:
				'The user id, as the specification requires; in all other objects this field is the membership id',
		}),
		membership_id: CommunityMemberId,
		name: z.string(),
		avatar_url: z.string().nullable(),
	})
	.meta({ id: 'PostFollower' })
export type Follower = z.infer<typeof Follower>

const followResponse = <T extends boolean>(isFollowing: T) =>
	z.object({ success: z.literal(true), is_following: z.literal(isFollowing) })

export const listPostFollowers = operation({
	id: 'listPostFollowers',
	method: 'get',
	path: '/api/headless/v1/posts/{postId}/post_followers',
	summary: 'List the followers of a post, oldest first',
	auth: 'member',
	params,
	response: fixedListSchema(Follower),
})

export const followPost = operation({
	id: 'followPost',
	method: 'post',
	path: '/api/headless/v1/posts/{postId}/post_followers',
	summary: 'Follow a post',
	description:
		'Succeeds if the caller already follows it. Writers of posts and comments follow the post, unless `follow_participated_posts` is off, they unfollowed it, or it has 500 followers.',
	auth: 'member',
	audit: 'none: own membership',
	openBody: openBySpecification,
	params,
	response: followResponse(true),
})

export const unfollowPost = operation({
	id: 'unfollowPost',
	method: 'delete',
	path: '/api/headless/v1/posts/{postId}/post_followers',
	summary: 'Unfollow a post',
	description:
		'Succeeds if the caller does not follow it. A later comment does not follow it again. Replies to own comments still notify. Also works for a post that the caller can no longer see.',
	auth: 'member',
	audit: 'none: own membership',
	openBody: openBySpecification,
	params,
	response: followResponse(false),
})
