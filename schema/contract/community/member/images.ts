import { z } from 'zod'
import { pathInt } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { Id, Success } from '../fields.ts'

const operation = describeOperations('Community: images')
const params = z.object({ imageId: pathInt })

export const MAX_IMAGE_BYTES = 10 * 1024 ** 2

export const PostImage = z
	.object({
		id: Id,
		url: z.string().meta({ description: 'The URL of the image, for members who can see the post' }),
		content_type: z.string(),
	})
	.meta({ id: 'PostImage' })
export type PostImage = z.infer<typeof PostImage>

export const addPostImage = operation({
	id: 'addPostImage',
	method: 'post',
	path: '/api/headless/v1/posts/{postId}/images',
	summary: 'Add an image to a post of the caller: JPG, PNG or WebP',
	description:
		'A post can have ten images (409). The body is the image itself, with at most 50 million pixels and 16,384 on each side. The type is detected from the content. Returns 400 for other types and for a damaged image. EXIF data such as location and camera, XMP, IPTC, text comments and data after the image are removed before it is stored; orientation and color profile are kept.',
	auth: 'member',
	audit: 'none: content',
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
	summary: 'Download an image of a post',
	auth: 'member',
	params,
	answersWith: 'image/*',
})

export const deleteImage = operation({
	id: 'deleteImage',
	method: 'delete',
	path: '/api/headless/v1/images/{imageId}',
	summary: 'Remove an image from a post',
	description: 'Allowed for the author of the post, and for moderators, admins and owners.',
	auth: 'member',
	audit: 'none: content',
	params,
	response: Success,
})
