import { z } from 'zod'
import { pathInt, Timestamp } from '../fields.ts'
import { operation } from '../operation.ts'
import { fixedList, Id, ListQuery, pagedList, SpaceRef, Success } from './fields.ts'

const tag = 'Community: bookmarks'

export const Bookmark = z
	.object({
		id: Id,
		record_id: Id.meta({ description: 'The post' }),
		bookmarkable_type: z.literal('Post'),
		created_at: Timestamp,
		bookmark_record: z.object({
			id: Id,
			name: z.string().meta({ description: 'The first 100 characters of the body' }),
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
	tag,
	summary: 'Bookmarks of the caller in the community, newest first',
	description:
		'Those of posts that the caller does not see any more are left out, and come back with access.',
	auth: 'member',
	query: ListQuery,
	status: 200,
	response: pagedList(Bookmark),
})

export const createBookmark = operation({
	id: 'createBookmark',
	method: 'post',
	path: '/api/headless/v1/bookmarks',
	tag,
	summary: 'Bookmark a post; 200 when it was bookmarked before',
	auth: 'member',
	body: z.object({ bookmarkable_type: z.literal('Post').default('Post'), bookmarkable_id: z.int() }),
	status: 201,
	statusIfThere: 200,
	response: Success,
})

export const deleteBookmark = operation({
	id: 'deleteBookmark',
	method: 'delete',
	path: '/api/headless/v1/bookmarks/{postId}',
	tag,
	summary: 'Take the bookmark of a post away; succeeds when there is none',
	description: 'Takes the id of the post, not of the bookmark.',
	auth: 'member',
	// Any integer: one that is the id of no post has no bookmark either, and that is a success.
	params: z.object({
		postId: z
			.string()
			.regex(/^-?\d{1,19}$/)
			.transform(Number)
			.pipe(z.number()),
	}),
	status: 200,
	response: Success,
})

export const SpaceBookmark = z
	.object({
		id: Id.meta({ description: 'The bookmark' }),
		name: z.string().meta({ description: 'The first 100 characters of the body' }),
		display_type: z.literal('post'),
		links: z.array(
			z.object({
				id: Id.meta({ description: 'The post' }),
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
	tag,
	summary: 'Bookmarks of the caller of posts in a space, newest first',
	auth: 'member',
	params: z.object({ spaceId: pathInt }),
	status: 200,
	response: fixedList(SpaceBookmark),
})
