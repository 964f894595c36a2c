import { z } from 'zod'
import { pathInt, Timestamp } from '../fields.ts'
import { operation } from '../operation.ts'
import { Author, Id, ListQuery, openList, Success } from './fields.ts'

const tag = 'Community: comments'
const byPost = z.object({ postId: pathInt })
const params = z.object({ commentId: pathInt })
const body = z.object({ body: z.string().trim().min(1).max(10_000) })

export const PostComment = z
	.object({
		id: Id,
		post_id: Id,
		parent_comment_id: Id.nullable(),
		body: z.string(),
		created_at: Timestamp,
		updated_at: Timestamp,
		author: Author,
		replies_count: z.int().nonnegative(),
		my_reaction: z.string().nullable(),
	})
	.meta({ id: 'PostComment' })
export type PostComment = z.infer<typeof PostComment>

export const listPostComments = operation({
	id: 'listPostComments',
	method: 'get',
	path: '/api/headless/v1/posts/{postId}/comments',
	tag,
	summary: 'Comments on a post without their replies, oldest first',
	auth: 'member',
	params: byPost,
	query: ListQuery,
	status: 200,
	response: openList(PostComment),
})

export const listMemberComments = operation({
	id: 'listMemberComments',
	method: 'get',
	path: '/api/headless/v1/community_members/{memberId}/comments',
	tag,
	summary: 'Comments and replies of a member on posts that the caller sees, newest first',
	auth: 'member',
	params: z.object({ memberId: pathInt }),
	query: ListQuery,
	status: 200,
	response: openList(PostComment),
})

export const createPostComment = operation({
	id: 'createPostComment',
	method: 'post',
	path: '/api/headless/v1/posts/{postId}/comments',
	tag,
	summary: 'Comment on a post',
	auth: 'member',
	params: byPost,
	idempotent: true,
	body,
	status: 201,
	response: PostComment,
})

export const listReplies = operation({
	id: 'listReplies',
	method: 'get',
	path: '/api/headless/v1/comments/{commentId}/replies',
	tag,
	summary: 'Replies to a comment, oldest first',
	auth: 'member',
	params,
	query: ListQuery,
	status: 200,
	response: openList(PostComment),
})

export const createReply = operation({
	id: 'createReply',
	method: 'post',
	path: '/api/headless/v1/comments/{commentId}/replies',
	tag,
	summary: 'Reply to a comment; a reply itself takes none (404)',
	auth: 'member',
	params,
	idempotent: true,
	body,
	status: 201,
	response: PostComment,
})

export const getPostComment = operation({
	id: 'getPostComment',
	method: 'get',
	path: '/api/headless/v1/comments/{commentId}',
	tag,
	summary: 'One comment or reply',
	auth: 'member',
	params,
	status: 200,
	response: PostComment,
})

export const updatePostComment = operation({
	id: 'updatePostComment',
	method: 'patch',
	path: '/api/headless/v1/comments/{commentId}',
	tag,
	summary: 'Change a comment or reply of one’s own',
	auth: 'member',
	params,
	body,
	status: 200,
	response: PostComment,
})

export const deletePostComment = operation({
	id: 'deletePostComment',
	method: 'delete',
	path: '/api/headless/v1/comments/{commentId}',
	tag,
	summary: 'Delete a comment or reply of one’s own, or as a moderator any; its replies go with it',
	auth: 'member',
	params,
	status: 200,
	response: Success,
})
