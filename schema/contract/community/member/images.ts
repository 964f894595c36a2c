import { z } from 'zod'
import { pathInt } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { imageWidthQuery } from '../../kit/queries/image-width.ts'
import { Id, ReactionCounts, Success } from '../fields.ts'
import { updateSchema } from '../manage/communities.ts'

const operation = describeOperations('Community: images')
const params = z.object({ imageId: pathInt })

export const MAX_IMAGE_BYTES = 10 * 1024 ** 2

const Alt = z.string().trim().min(1).max(1_000)

export const PostImage = z
	.object({
		id: Id,
		url: z.string().meta({
			description:
				'The URL of the image with a token, for `<img src>` and the like. It works without a credential for 30 to 60 minutes, and is constant for half an hour so that browsers can cache the image. Read the record again for a new one.',
		}),
		content_type: z.string(),
		width: z.int().positive().nullable().meta({
			description:
				'The width in pixels as shown, so that a page can reserve the place; null for images that were uploaded before sizes were stored',
		}),
		height: z.int().positive().nullable(),
		alt: z.string().nullable().meta({ description: "A description for people who can't see the image" }),
		reactions: ReactionCounts,
		my_reaction: z.string().nullable(),
	})
	.meta({ id: 'PostImage' })
export type PostImage = z.infer<typeof PostImage>

export const addPostImage = operation({
	id: 'addPostImage',
	method: 'post',
	path: '/api/headless/v1/posts/{postId}/images',
	summary: 'Add an image to a post of the caller: JPG, PNG or WebP',
	description:
		'A post can have ten images (409). The body is the image itself, with at most 50 million pixels and 16,384 on each side. The type is detected from the content. Returns 400 for other types and for a damaged image. EXIF data such as location and camera, XMP, IPTC, text comments and data after the image are removed before it is stored; orientation and color profile are kept. The image is stored in its original size. Append `&w=` to its `url` for a smaller variant.',
	auth: 'member',
	audit: 'none: content',
	params: z.object({ postId: pathInt }),
	query: z.object({
		alt: Alt.optional().meta({
			description: "A description for people who can't see the image",
		}),
	}),
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
	query: z.object({ w: imageWidthQuery }),
	answersWith: 'image/*',
})

export const getImageFile = operation({
	id: 'getImageFile',
	method: 'get',
	path: '/api/headless/v1/images/{imageId}/file',
	summary: 'Download an image by the URL in a post',
	description:
		"The `url` of an image points here. It needs no credential and doesn't count against the rate limit of a member. Returns 404 after the token has expired, and once the image or post was deleted or the post was hidden.",
	auth: 'public',
	params,
	query: z.object({ token: z.string(), w: imageWidthQuery }),
	answersWith: 'image/*',
	errors: ['not_found'],
})

export const updateImage = operation({
	id: 'updateImage',
	method: 'patch',
	path: '/api/headless/v1/images/{imageId}',
	summary: 'Update the description of an image',
	description: 'Only the author of the post can do this. `null` removes the description.',
	auth: 'member',
	audit: 'none: content',
	params,
	body: updateSchema({ alt: Alt.nullable() }),
	response: PostImage,
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
