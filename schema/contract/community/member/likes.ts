import { z } from 'zod'
import { pathInt } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { ListQuery, openListSchema, Success } from '../fields.ts'
import { MemberReaction } from './post-reactions.ts'

const operation = describeOperations('Community: reactions')
const ofPost = z.object({ postId: pathInt })
const ofComment = z.object({ commentId: pathInt })

const isReaction = 'A like is the reaction `like`: it replaces another reaction of the caller.'
const keepsOthers = 'Keeps another reaction of the caller. Succeeds if there is no like.'

export const likePost = operation({
	id: 'likePost',
	method: 'post',
	path: '/api/headless/v1/posts/{postId}/user_likes',
	summary: 'Like a post',
	description: isReaction,
	auth: 'member',
	audit: 'none: content',
	params: ofPost,
	response: Success,
})

export const unlikePost = operation({
	id: 'unlikePost',
	method: 'delete',
	path: '/api/headless/v1/posts/{postId}/user_likes',
	summary: 'Remove the like of a post',
	description: keepsOthers,
	auth: 'member',
	audit: 'none: content',
	params: ofPost,
	response: Success,
})

export const listPostLikes = operation({
	id: 'listPostLikes',
	method: 'get',
	path: '/api/headless/v1/posts/{postId}/user_likes',
	summary: 'List the members who like a post, oldest like first',
	auth: 'member',
	params: ofPost,
	query: ListQuery,
	response: openListSchema(MemberReaction),
})

export const likeComment = operation({
	id: 'likeComment',
	method: 'post',
	path: '/api/headless/v1/comments/{commentId}/user_likes',
	summary: 'Like a comment or reply',
	description: isReaction,
	auth: 'member',
	audit: 'none: content',
	params: ofComment,
	response: Success,
})

export const unlikeComment = operation({
	id: 'unlikeComment',
	method: 'delete',
	path: '/api/headless/v1/comments/{commentId}/user_likes',
	summary: 'Remove the like of a comment or reply',
	description: keepsOthers,
	auth: 'member',
	audit: 'none: content',
	params: ofComment,
	response: Success,
})

export const listCommentLikes = operation({
	id: 'listCommentLikes',
	method: 'get',
	path: '/api/headless/v1/comments/{commentId}/user_likes',
	summary: 'List the members who like a comment or reply, oldest like first',
	auth: 'member',
	params: ofComment,
	query: ListQuery,
	response: openListSchema(MemberReaction),
})
