import { z } from 'zod'
import { pathInt, Timestamp } from '../fields.ts'
import { operation } from '../operation.ts'
import { Id, ListQuery, openList, Success } from './fields.ts'

const tag = 'Community: reactions'

const target = { reactable_type: z.enum(['Post', 'Comment', 'Image']), reactable_id: z.int() }

export const react = operation({
	id: 'react',
	method: 'post',
	path: '/api/headless/v1/reactions',
	tag,
	summary: 'React to a post, a comment or an image',
	description: 'A member has one reaction to each; another one takes its place.',
	auth: 'member',
	body: z.object({ ...target, reaction: z.string().trim().min(1).max(64).default('like') }),
	status: 200,
	response: z.object({ id: Id, reaction: z.string() }).meta({ id: 'Reaction' }),
})

export const unreact = operation({
	id: 'unreact',
	method: 'delete',
	path: '/api/headless/v1/reactions',
	tag,
	summary: 'Take a reaction back; succeeds when there is none',
	auth: 'member',
	body: z.object(target),
	status: 200,
	response: Success,
})

export const MemberReaction = z
	.object({
		id: Id,
		reaction: z.string(),
		created_at: Timestamp,
		community_member_id: Id.meta({ description: 'The membership' }),
		name: z.string(),
		avatar_url: z.string().nullable(),
	})
	.meta({ id: 'MemberReaction' })
export type MemberReaction = z.infer<typeof MemberReaction>

export const listPostReactions = operation({
	id: 'listPostReactions',
	method: 'get',
	path: '/api/headless/v1/posts/{postId}/reactions',
	tag,
	summary: 'Who reacted to a post and how, by emoji',
	auth: 'member',
	params: z.object({ postId: pathInt }),
	query: ListQuery,
	status: 200,
	response: openList(MemberReaction),
})

export const listCommentReactions = operation({
	id: 'listCommentReactions',
	method: 'get',
	path: '/api/headless/v1/comments/{commentId}/reactions',
	tag,
	summary: 'Who reacted to a comment and how, by emoji',
	auth: 'member',
	params: z.object({ commentId: pathInt }),
	query: ListQuery,
	status: 200,
	response: openList(MemberReaction),
})
