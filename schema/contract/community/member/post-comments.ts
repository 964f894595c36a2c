import { z } from 'zod'
import { pathInt, Timestamp } from '../../kit/fields.ts'
import { returnsEtag, takesIfMatch } from '../../kit/headers/entity-tag.ts'
import { describeOperations } from '../../kit/operation.ts'
import { describeAlias } from '../alias.ts'
import {
	Author,
	hiddenFields,
	Id,
	ListQuery,
	likeFields,
	openListSchema,
	ReactionCounts,
	Success,
} from '../fields.ts'
import { RichTextBody } from '../rich-text.ts'
import { describePaging, timeOrderQuery } from '../time-order.ts'

const operation = describeOperations('Community: comments')
const byPost = z.object({ postId: pathInt })
const params = z.object({ commentId: pathInt })
const CommentFeedQuery = timeOrderQuery('oldest')
const body = z.object({ body: z.string().trim().min(1).max(10_000) })
const circleBody = {
	sign: 'tiptap_body',
	schema: z
		.strictObject({ tiptap_body: RichTextBody })
		.transform(({ tiptap_body }) => ({ body: tiptap_body })),
}

const CommentPolicies = z
	.object({
		can_edit: z.boolean(),
		can_delete: z.boolean(),
		can_reply: z.boolean(),
		can_react: z.boolean(),
		can_report: z.boolean(),
		can_hide: z.boolean(),
	})
	.meta({ id: 'CommentPolicies', description: 'What the caller may do with the comment' })
export type CommentPolicies = z.infer<typeof CommentPolicies>

export const PostReply = z
	.object({
		id: Id,
		post_id: Id,
		parent_comment_id: Id.nullable(),
		body: z.string(),
		created_at: Timestamp,
		updated_at: Timestamp,
		author: Author,
		removed_at: Timestamp.nullable().meta({
			description:
				'Set for the placeholder of a removed comment, which stays while it has replies. Its `body` is empty, and its `author` null.',
		}),
		replies_count: z.int().nonnegative(),
		reactions: ReactionCounts,
		my_reaction: z.string().nullable(),
		...likeFields,
		policies: CommentPolicies,
		...hiddenFields,
	})
	.meta({ id: 'PostReply' })
export type PostReply = z.infer<typeof PostReply>

export const PostComment = PostReply.extend({
	replies: z.array(PostReply).meta({
		description:
			'The first three replies, oldest first; empty for a reply. `replies_count` counts all of them.',
	}),
}).meta({ id: 'PostComment' })
export type PostComment = z.infer<typeof PostComment>

export const listPostComments = operation({
	id: 'listPostComments',
	method: 'get',
	path: '/api/headless/v1/posts/{postId}/comments',
	summary: 'List the comments on a post without replies, oldest first',
	description: describePaging('comments'),
	auth: 'member',
	params: byPost,
	query: CommentFeedQuery,
	paged: true,
	response: openListSchema(PostComment),
})

export const listMemberComments = operation({
	id: 'listMemberComments',
	method: 'get',
	path: '/api/headless/v1/community_members/{memberId}/comments',
	summary: 'List the comments and replies of a member, newest first',
	description: 'Lists only comments on posts that the caller can see.',
	auth: 'member',
	params: z.object({ memberId: pathInt }),
	query: ListQuery,
	response: openListSchema(PostComment),
})

export const createPostComment = operation({
	id: 'createPostComment',
	method: 'post',
	path: '/api/headless/v1/posts/{postId}/comments',
	summary: 'Comment on a post',
	auth: 'member',
	audit: 'none: content',
	params: byPost,
	bodyWrapper: 'comment',
	circleBody,
	body,
	status: 201,
	response: PostComment,
})

export const listReplies = operation({
	id: 'listReplies',
	method: 'get',
	path: '/api/headless/v1/comments/{commentId}/replies',
	summary: 'List the replies to a comment, oldest first',
	description: describePaging('replies'),
	auth: 'member',
	params,
	query: CommentFeedQuery,
	paged: true,
	response: openListSchema(PostComment),
})

export const createReply = operation({
	id: 'createReply',
	method: 'post',
	path: '/api/headless/v1/comments/{commentId}/replies',
	summary: 'Reply to a comment',
	description:
		"Returns 404 for a reply, which can't have replies. A removed comment can be replied to while it has replies.",
	auth: 'member',
	audit: 'none: content',
	params,
	bodyWrapper: 'comment',
	circleBody,
	body,
	status: 201,
	response: PostComment,
})

export const getPostComment = operation({
	id: 'getPostComment',
	method: 'get',
	path: '/api/headless/v1/comments/{commentId}',
	summary: 'Get a comment or reply',
	auth: 'member',
	params,
	...returnsEtag,
	response: PostComment,
})

export const updatePostComment = operation({
	id: 'updatePostComment',
	method: 'patch',
	path: '/api/headless/v1/comments/{commentId}',
	summary: 'Update a comment or reply of the caller',
	auth: 'member',
	audit: 'none: content',
	params,
	...takesIfMatch,
	bodyWrapper: 'comment',
	circleBody,
	body,
	response: PostComment,
})

export const deletePostComment = operation({
	id: 'deletePostComment',
	method: 'delete',
	path: '/api/headless/v1/comments/{commentId}',
	summary: 'Delete a comment or reply',
	description:
		'Allowed for the author, and for moderators, admins and owners. The text is erased at once; hide a comment to keep it. Replies of others stay: the comment becomes a placeholder (`removed_at`) until its last reply is deleted.',
	auth: 'member',
	audit: 'none: content',
	params,
	response: Success,
})

const onPost = (id: string) => ({
	id,
	path: '/api/headless/v1/posts/{postId}/comments/{commentId}' as const,
	params: z.object({ postId: pathInt, commentId: pathInt }),
})
const otherPost = 'Returns 404 for a comment on another post. Also takes replies.'

export const getCommentOfPost = describeAlias(getPostComment, onPost('getCommentOfPost'), otherPost)
export const updateCommentOfPost = describeAlias(updatePostComment, onPost('updateCommentOfPost'), otherPost)
export const deleteCommentOfPost = describeAlias(deletePostComment, onPost('deleteCommentOfPost'), otherPost)

const toComment = (id: string) => ({
	id,
	path: '/api/headless/v1/comments/{parentId}/replies/{commentId}' as const,
	params: z.object({ parentId: pathInt, commentId: pathInt }),
})
const otherParent = 'Returns 404 unless it is a reply to that comment.'

export const getReply = describeAlias(getPostComment, toComment('getReply'), otherParent)
export const updateReply = describeAlias(updatePostComment, toComment('updateReply'), otherParent)
export const deleteReply = describeAlias(deletePostComment, toComment('deleteReply'), otherParent)
