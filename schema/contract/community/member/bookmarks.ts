import { z } from 'zod'
import { openBySpecification } from '../../kit/bodies/open-bodies.ts'
import { pathInt, Timestamp } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { fixedListSchema, Id, ListQuery, pagedListSchema, SpaceRef, Success } from '../fields.ts'

const operation = describeOperations('Community: bookmarks')

export const Bookmark = z
	.object({
		id: Id,
		record_id: Id.meta({ description: 'The post id' }),
		bookmarkable_type: z.literal('Post'),
		created_at: Timestamp,
		bookmark_record: z.object({
			id: Id,
			name: z.string().meta({ description: 'The first 100 characters of the post' }),
			slug: z.string(),
			url: z.string(),
			space: SpaceRef,
		}),
	})
	.meta({ id: 'Bookmark' })
export type Bookmark = z.infer<typeof Bookmark>

export const listBookmarks = operation({
	id: 'listBookmarks',
	method: 'get',
	path: '/api/headless/v1/bookmarks',
	summary: "List the caller's bookmarks, newest first",
	description: "Omits bookmarks of posts that the caller can't currently see.",
	auth: 'member',
	query: ListQuery,
	response: pagedListSchema(Bookmark),
})

export const createBookmark = operation({
	id: 'createBookmark',
	method: 'post',
	path: '/api/headless/v1/bookmarks',
	summary: 'Bookmark a post',
	description: 'Returns 200 if the post was already bookmarked.',
	auth: 'member',
	audit: 'none: own membership',
	openBody: openBySpecification,
	circleBody: {
		sign: 'record_id',
		schema: z
			.object({
				bookmark_type: z.literal('post', { error: 'must be post; only posts can be bookmarked' }),
				record_id: z.int(),
			})
			.transform(({ record_id }) => ({ bookmarkable_id: record_id })),
	},
	body: z.object({ bookmarkable_type: z.literal('Post').default('Post'), bookmarkable_id: z.int() }),
	status: 201,
	statusIfExists: 200,
	response: Success,
})

export const deleteBookmark = operation({
	id: 'deleteBookmark',
	method: 'delete',
	path: '/api/headless/v1/bookmarks/{postId}',
	summary: 'Remove the bookmark of a post',
	description: 'Takes the id of the post, not of the bookmark. Succeeds if there is no bookmark.',
	auth: 'member',
	audit: 'none: own membership',
	openBody: openBySpecification,
	// Any integer is valid: without such a post there is no bookmark, which is a success.
	params: z.object({
		postId: z
			.string()
			.regex(/^-?\d{1,19}$/)
			.transform(Number)
			.pipe(z.number()),
	}),
	response: Success,
})

export const SpaceBookmark = z
	.object({
		id: Id.meta({ description: 'The bookmark id' }),
		name: z.string().meta({ description: 'The first 100 characters of the post' }),
		display_type: z.literal('post'),
		links: z.array(
			z.object({
				id: Id.meta({ description: 'The post id' }),
				name: z.string(),
				display_type: z.literal('post'),
				url: z.string(),
				emoji: z.null(),
				custom_emoji_url: z.null(),
			}),
		),
	})
	.meta({ id: 'SpaceBookmark' })
export type SpaceBookmark = z.infer<typeof SpaceBookmark>

export const listSpaceBookmarks = operation({
	id: 'listSpaceBookmarks',
	method: 'get',
	path: '/api/headless/v1/spaces/{spaceId}/bookmarks',
	summary: "List the caller's bookmarks of posts in a space, newest first",
	auth: 'member',
	params: z.object({ spaceId: pathInt }),
	response: fixedListSchema(SpaceBookmark),
})
