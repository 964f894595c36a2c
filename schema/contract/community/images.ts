import { z } from 'zod'
import { pathInt } from '../fields.ts'
import { operation } from '../operation.ts'
import { Id, Success } from './fields.ts'

const tag = 'Community: images'
const params = z.object({ imageId: pathInt })

export const MAX_IMAGE_BYTES = 10 * 1024 ** 2

export const PostImage = z
	.object({
		id: Id,
		url: z.string().meta({ description: 'Where the picture is, for those who see the post' }),
		content_type: z.string(),
	})
	.meta({ id: 'PostImage' })
export type PostImage = z.infer<typeof PostImage>

export const addPostImage = operation({
	id: 'addPostImage',
	method: 'post',
	path: '/api/headless/v1/posts/{postId}/images',
	tag,
	summary: 'Put a picture on a post of one’s own: JPG, PNG or WebP, ten at most',
	description:
		'The body is the picture itself. The type is detected from the content. 50 million pixels at most, 16,384 on a side.',
	auth: 'member',
	params: z.object({ postId: pathInt }),
	takesBytes: { type: 'image/*', maxBytes: MAX_IMAGE_BYTES },
	status: 201,
	response: PostImage,
	errors: ['validation', 'conflict'],
})

export const getImage = operation({
	id: 'getImage',
	method: 'get',
	path: '/api/headless/v1/images/{imageId}',
	tag,
	summary: 'The picture itself',
	auth: 'member',
	params,
	status: 200,
	answersWith: 'image/*',
})

export const deleteImage = operation({
	id: 'deleteImage',
	method: 'delete',
	path: '/api/headless/v1/images/{imageId}',
	tag,
	summary: 'Take a picture off a post of one’s own, or as a moderator off any',
	auth: 'member',
	params,
	status: 200,
	response: Success,
})
