import { z } from 'zod'
import { CommentId, data, PersonName, PlaybackId, Timestamp, ViewerToken } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'
import { dataPage, PageQuery } from '../kit/page.ts'
import { AssetParams } from '../video/assets.ts'

const operation = describeOperations('Assets')

const PlaybackParams = z.object({ playbackId: PlaybackId })
const CommentParams = AssetParams.extend({ commentId: CommentId })

const comment = {
	id: CommentId,
	authorName: z.string(),
	body: z.string(),
	timestampSec: z
		.number()
		.nonnegative()
		.nullable()
		.meta({ description: 'The moment of the video that the comment is about; null for the whole video' }),
	createdAt: Timestamp,
}

const Comment = z.object(comment).meta({ id: 'Comment' })
const ModeratedComment = z.object({ ...comment, hidden: z.boolean() }).meta({ id: 'ModeratedComment' })
export type ModeratedComment = z.infer<typeof ModeratedComment>

export const listComments = operation({
	id: 'listComments',
	method: 'get',
	path: '/v1/playback/{playbackId}/comments',
	tag: 'Public playback',
	summary: 'List the comments on a video, newest first',
	description: 'Returns 403 if comments are turned off for the asset.',
	auth: 'public',
	anyOrigin: true,
	params: PlaybackParams,
	query: PageQuery.extend({ token: ViewerToken }),
	paged: true,
	response: dataPage(Comment),
	errors: ['not_found', 'forbidden'],
})

export const createComment = operation({
	id: 'createComment',
	method: 'post',
	path: '/v1/playback/{playbackId}/comments',
	tag: 'Public playback',
	summary: 'Comment on a video or a moment of it',
	description: '`body` is plain text. Returns 403 if comments are turned off for the asset.',
	auth: 'public',
	audit: 'none: content',
	anyOrigin: true,
	shield: 'public-write',
	params: PlaybackParams,
	query: z.object({ token: ViewerToken }),
	body: z.object({
		authorName: PersonName,
		body: z.string().trim().min(1).max(2_000),
		timestampSec: z.number().nonnegative().nullable().default(null),
	}),
	status: 201,
	response: data(Comment),
	errors: ['not_found', 'forbidden'],
})

export const listAssetComments = operation({
	id: 'listAssetComments',
	sdk: 'comments.list',
	method: 'get',
	path: '/v1/assets/{assetId}/comments',
	summary: 'List the comments on an asset, including hidden ones, newest first',
	auth: 'read',
	impersonation: 'read',
	params: AssetParams,
	query: PageQuery,
	paged: true,
	response: dataPage(ModeratedComment),
	errors: ['not_found'],
})

export const updateComment = operation({
	id: 'updateComment',
	method: 'patch',
	path: '/v1/assets/{assetId}/comments/{commentId}',
	summary: 'Hide a comment from viewers, or show it again',
	auth: 'write',
	audit: 'none: content',
	params: CommentParams,
	body: z.object({ hidden: z.boolean() }),
	response: data(ModeratedComment),
	errors: ['not_found'],
})

export const deleteComment = operation({
	id: 'deleteComment',
	method: 'delete',
	path: '/v1/assets/{assetId}/comments/{commentId}',
	summary: 'Delete a comment for good',
	auth: 'write',
	audit: 'none: content',
	params: CommentParams,
	response: data(z.object({ id: CommentId, deleted: z.literal(true) })),
	errors: ['not_found'],
})
