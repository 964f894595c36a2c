import { z } from 'zod'
import { pathInt } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { imageWidthQuery } from '../../kit/queries/image-width.ts'
import { MemberProfile } from './members.ts'

const operation = describeOperations('Community: members')

export const MAX_AVATAR_BYTES = 5 * 1024 ** 2

export const setAvatar = operation({
	id: 'setAvatar',
	method: 'put',
	path: '/api/headless/v1/profile/avatar',
	summary: "Upload the caller's avatar in the community: JPG, PNG or WebP",
	description:
		'The body is the image itself, with at most 5 MB, 50 million pixels and 16,384 on each side. The type is detected from the content. Returns 400 for other types and for a damaged image. The image is stored in its original size, and the previous avatar is deleted. To remove the avatar, send `avatar_url: null` to PUT /api/headless/v1/profile. A member may upload 30 avatars a day (429).',
	auth: 'member',
	audit: 'none: own membership',
	takesBytes: { type: 'image/*', maxBytes: MAX_AVATAR_BYTES },
	response: MemberProfile,
	errors: ['validation', 'not_configured'],
})

export const getAvatar = operation({
	id: 'getAvatar',
	method: 'get',
	path: '/api/headless/v1/community_members/{memberId}/avatar/{avatarFile}',
	summary: 'Download an uploaded avatar',
	description:
		"The `avatar_url` of an uploaded avatar points here. The URL needs no credential, so that web pages can show the avatar, but its name can't be guessed. Returns 404 after the avatar was replaced or removed, or the member or community was deleted.",
	auth: 'public',
	params: z.object({
		memberId: pathInt,
		avatarFile: z.string().regex(/^[0-9A-Za-z]{22}\.(jpg|png|webp)$/, 'must be the name of an avatar'),
	}),
	query: z.object({ w: imageWidthQuery }),
	answersWith: 'image/*',
	errors: ['not_found'],
})
