import { z } from 'zod'
import { AssetParams } from './assets.ts'
import { CommentId, data, PersonName, PlaybackId, Timestamp, ViewerToken } from './fields.ts'
import { operation } from './operation.ts'
import { PageQuery } from './page.ts'

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
		.meta({ description: 'The moment of the video it is about' }),
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
	summary: 'Comments on a video, newest first',
	description: '403 where the asset does not show comments.',
	auth: 'public',
	anyOrigin: true,
	params: PlaybackParams,
	query: PageQuery.extend({ token: ViewerToken }),
	paged: true,
	status: 200,
	response: data(z.array(Comment)),
	errors: ['not_found', 'forbidden'],
})

export const createComment = operation({
	id: 'createComment',
	method: 'post',
	path: '/v1/playback/{playbackId}/comments',
	tag: 'Public playback',
	summary: 'Comment on a video, or on a moment of it',
	description: 'Plain text. 403 where the asset does not show comments.',
	auth: 'public',
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
	method: 'get',
	path: '/v1/assets/{assetId}/comments',
	tag: 'Assets',
	summary: 'Comments on an asset, newest first, with those that are hidden',
	auth: 'read',
	params: AssetParams,
	query: PageQuery,
	paged: true,
	status: 200,
	response: data(z.array(ModeratedComment)),
	errors: ['not_found'],
})

export const updateComment = operation({
	id: 'updateComment',
	method: 'patch',
	path: '/v1/assets/{assetId}/comments/{commentId}',
	tag: 'Assets',
	summary: 'Hide a comment from viewers, or show it again',
	auth: 'write',
	params: CommentParams,
	body: z.object({ hidden: z.boolean() }),
	status: 200,
	response: data(ModeratedComment),
	errors: ['not_found'],
})

export const deleteComment = operation({
	id: 'deleteComment',
	method: 'delete',
	path: '/v1/assets/{assetId}/comments/{commentId}',
	tag: 'Assets',
	summary: 'Delete a comment for good',
	auth: 'write',
	params: CommentParams,
	status: 200,
	response: data(z.object({ id: CommentId, deleted: z.literal(true) })),
	errors: ['not_found'],
})
