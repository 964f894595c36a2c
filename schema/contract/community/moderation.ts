import { z } from 'zod'
import { pathInt, Timestamp } from '../fields.ts'
import { operation } from '../operation.ts'
import { Author, Id, ListQuery, openList, SpaceRef, Success } from './fields.ts'

const tag = 'Community: moderation'
const ofPost = z.object({ postId: pathInt })
const ofComment = z.object({ commentId: pathInt })
const ofMember = z.object({ memberId: pathInt })
const takes = 'Takes the role moderator, admin or owner.'

const ContentType = z.enum(['Post', 'Comment'])
export type ContentType = z.infer<typeof ContentType>

export const flagContent = operation({
	id: 'flagContent',
	method: 'post',
	path: '/api/headless/v1/flagged_contents',
	tag,
	summary: 'Tell those who moderate that something is wrong with a post or a comment',
	description: 'Once for each member; telling again (200) changes nothing.',
	auth: 'member',
	body: z.object({
		content_type: ContentType,
		content_id: z.int(),
		reason: z.string().trim().min(1).max(1000),
	}),
	status: 201,
	statusIfThere: 200,
	response: Success,
})

export const Flag = z
	.object({
		id: Id,
		content_type: ContentType,
		content_id: Id,
		post_id: Id.meta({ description: 'The post itself, or the one under which the comment stands' }),
		reason: z.string(),
		created_at: Timestamp,
		dismissed_at: Timestamp.nullable(),
		state: z.enum(['shown', 'hidden', 'removed']).meta({ description: 'Of what was flagged' }),
		excerpt: z.string(),
		author: Author.meta({ description: 'Of what was flagged; null once the person is deleted' }),
		reporter: Author,
		space: SpaceRef,
	})
	.meta({ id: 'Flag' })
export type Flag = z.infer<typeof Flag>

export const listFlags = operation({
	id: 'listFlags',
	method: 'get',
	path: '/api/headless/v1/flagged_contents',
	tag,
	summary: 'What members told of, newest first',
	description: `${takes} Only of spaces that the caller sees. Open are those that were not dismissed and whose content is still shown.`,
	auth: 'member',
	query: ListQuery.extend({ status: z.enum(['open', 'all']).default('open') }),
	status: 200,
	response: openList(Flag),
})

export const dismissFlag = operation({
	id: 'dismissFlag',
	method: 'post',
	path: '/api/headless/v1/flagged_contents/{flagId}/dismiss',
	tag,
	summary: 'Say that nothing is wrong: closes all flags of the same content',
	description: takes,
	auth: 'member',
	params: z.object({ flagId: pathInt }),
	status: 200,
	response: Success,
})

export const HiddenContent = z
	.object({
		content_type: ContentType,
		content_id: Id,
		post_id: Flag.shape.post_id,
		hidden_at: Timestamp,
		excerpt: z.string(),
		author: Author,
		space: SpaceRef,
	})
	.meta({ id: 'HiddenContent' })
export type HiddenContent = z.infer<typeof HiddenContent>

export const listHidden = operation({
	id: 'listHidden',
	method: 'get',
	path: '/api/headless/v1/hidden_contents',
	tag,
	summary: 'What is hidden and can be restored, the last first',
	description: `${takes} Only of spaces that the caller sees. Replies that were hidden with a comment come back with it and are not listed.`,
	auth: 'member',
	query: ListQuery,
	status: 200,
	response: openList(HiddenContent),
})

export const hidePost = operation({
	id: 'hidePost',
	method: 'post',
	path: '/api/headless/v1/posts/{postId}/hide',
	tag,
	summary: 'Hide a post from everyone, its author too, until it is restored',
	description: `${takes} To remove it for good, delete it.`,
	auth: 'member',
	params: ofPost,
	status: 200,
	response: Success,
})

export const restorePost = operation({
	id: 'restorePost',
	method: 'post',
	path: '/api/headless/v1/posts/{postId}/restore',
	tag,
	summary: 'Show a hidden post again, with its comments and reactions',
	description: takes,
	auth: 'member',
	params: ofPost,
	status: 200,
	response: Success,
})

export const hideComment = operation({
	id: 'hideComment',
	method: 'post',
	path: '/api/headless/v1/comments/{commentId}/hide',
	tag,
	summary: 'Hide a comment and its replies until it is restored',
	description: `${takes} To remove it for good, delete it.`,
	auth: 'member',
	params: ofComment,
	status: 200,
	response: Success,
})

export const restoreComment = operation({
	id: 'restoreComment',
	method: 'post',
	path: '/api/headless/v1/comments/{commentId}/restore',
	tag,
	summary: 'Show a hidden comment again, with the replies that were hidden with it',
	description: takes,
	auth: 'member',
	params: ofComment,
	status: 200,
	response: Success,
})

export const banMember = operation({
	id: 'banMember',
	method: 'post',
	path: '/api/headless/v1/community_members/{memberId}/ban',
	tag,
	summary: 'Ban a member: they are out at once, what they wrote stays',
	description: `${takes} Only members of a lower role than one’s own (403).`,
	auth: 'member',
	params: ofMember,
	status: 200,
	response: Success,
})

export const unbanMember = operation({
	id: 'unbanMember',
	method: 'post',
	path: '/api/headless/v1/community_members/{memberId}/unban',
	tag,
	summary: 'Let a banned member in again',
	description: `${takes} Only members of a lower role than one’s own (403).`,
	auth: 'member',
	params: ofMember,
	status: 200,
	response: Success,
})
