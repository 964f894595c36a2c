import { z } from 'zod'
import { Line, pathInt, Timestamp } from '../../kit/fields.ts'
import { returnsEtag, takesIfMatch } from '../../kit/headers/entity-tag.ts'
import { describeOperations } from '../../kit/operation.ts'
import { describeAlias } from '../alias.ts'
import {
	Author,
	describeSearch,
	hiddenFields,
	Id,
	ListQuery,
	likeFields,
	openListSchema,
	ReactionCounts,
	SearchQuery,
	SpaceRef,
	Success,
} from '../fields.ts'
import { updateSchema } from '../manage/communities.ts'
import { RichTextBody } from '../rich-text.ts'
import { describePaging, timeOrderQuery } from '../time-order.ts'
import { PostImage } from './images.ts'

const operation = describeOperations('Community: posts')
const params = z.object({ postId: pathInt })
const bySpace = z.object({ spaceId: pathInt })

const Title = Line.min(1).max(200).nullable()
const Body = z.string().trim().min(1).max(50_000)

const Topics = z
	.array(Id)
	.max(10)
	.transform((ids) => [...new Set(ids)])
	.meta({ description: 'Ids of topics' })

export const TopicRef = z.object({ id: Id, name: z.string(), slug: z.string() }).meta({ id: 'TopicRef' })

/** The number of graphemes in an excerpt, which fits on a feed card. */
export const EXCERPT_GRAPHEMES = 280

const PostPolicies = z
	.object({
		can_edit: z.boolean(),
		can_delete: z.boolean(),
		can_comment: z.boolean(),
		can_react: z.boolean(),
		can_report: z.boolean(),
		can_hide: z.boolean(),
	})
	.meta({ id: 'PostPolicies', description: 'What the caller may do with the post' })
export type PostPolicies = z.infer<typeof PostPolicies>

/** The length of the bodies in lists of posts. */
const bodyParameter = {
	body: z.enum(['full', 'excerpt']).default('full').meta({
		description:
			'With `excerpt`, the `body` of each post equals its `excerpt`; `is_truncated` tells where it is not whole',
	}),
}
const PostListQuery = ListQuery.extend(bodyParameter)
const PostFeedQuery = timeOrderQuery('latest').extend(bodyParameter)

export const Post = z
	.object({
		id: Id,
		name: z.string().nullable().meta({ description: 'The title' }),
		body: z.string().meta({ description: 'Plain text' }),
		excerpt: z.string().meta({
			description: `The beginning of the body: at most ${EXCERPT_GRAPHEMES} characters as people count them, and never part of one`,
		}),
		is_truncated: z.boolean().meta({ description: 'The body is longer than the excerpt' }),
		slug: z.string(),
		url: z.string(),
		created_at: Timestamp,
		updated_at: Timestamp,
		space: SpaceRef,
		author: Author,
		topics: z.array(TopicRef),
		cover_image: z.string().nullable().meta({ description: 'The URL of the first image' }),
		images: z.array(PostImage),
		comments_count: z.int().nonnegative().meta({ description: 'Number of comments and replies' }),
		reactions: ReactionCounts,
		my_reaction: z.string().nullable(),
		...likeFields,
		is_bookmarked: z.boolean(),
		is_following: z.boolean(),
		policies: PostPolicies,
		...hiddenFields,
	})
	.meta({ id: 'Post' })
export type Post = z.infer<typeof Post>

export const listSpacePosts = operation({
	id: 'listSpacePosts',
	method: 'get',
	path: '/api/headless/v1/spaces/{spaceId}/posts',
	summary: 'List the posts of a space, newest first',
	description: describePaging('posts'),
	auth: 'member',
	params: bySpace,
	query: PostFeedQuery,
	paged: true,
	response: openListSchema(Post),
})

export const createPost = operation({
	id: 'createPost',
	method: 'post',
	path: '/api/headless/v1/spaces/{spaceId}/posts',
	summary: 'Create a post in a space',
	auth: 'member',
	audit: 'none: content',
	params: bySpace,
	bodyWrapper: 'post',
	circleBody: {
		sign: 'tiptap_body',
		schema: z
			.strictObject({
				name: Title.optional(),
				tiptap_body: RichTextBody,
				topics: z.array(Id).optional(),
				is_comments_enabled: z.literal(true).optional(),
				is_liking_enabled: z.literal(true).optional(),
			})
			.transform(({ name, tiptap_body, topics }) => ({ name, body: tiptap_body, topics })),
	},
	body: z.object({
		name: Title.default(null),
		body: Body,
		topics: Topics.default([]),
	}),
	status: 201,
	response: Post,
})

export const listHomePosts = operation({
	id: 'listHomePosts',
	sdk: 'community.posts.listAll',
	method: 'get',
	path: '/api/headless/v1/home',
	summary: 'List the posts of all spaces that the caller can see, newest first',
	description: describePaging('posts'),
	auth: 'member',
	query: PostFeedQuery,
	paged: true,
	response: openListSchema(Post),
})

export const searchPosts = operation({
	id: 'searchPosts',
	method: 'get',
	path: '/api/headless/v1/search/posts',
	summary: 'Search posts by title and body, newest first',
	description: describeSearch('posts'),
	auth: 'member',
	query: SearchQuery.extend(bodyParameter),
	response: openListSchema(Post),
})

export const listMemberPosts = operation({
	id: 'listMemberPosts',
	method: 'get',
	path: '/api/headless/v1/community_members/{memberId}/posts',
	summary: 'List the posts of a member, newest first',
	description: 'Lists only posts that the caller can see.',
	auth: 'member',
	params: z.object({ memberId: pathInt }),
	query: PostListQuery,
	response: openListSchema(Post),
})

export const getPost = operation({
	id: 'getPost',
	method: 'get',
	path: '/api/headless/v1/posts/{postId}',
	summary: 'Get a post',
	auth: 'member',
	params,
	...returnsEtag,
	response: Post,
})

export const updatePost = operation({
	id: 'updatePost',
	method: 'patch',
	path: '/api/headless/v1/posts/{postId}',
	summary: 'Update a post of the caller',
	auth: 'member',
	audit: 'none: content',
	params,
	...takesIfMatch,
	bodyWrapper: 'post',
	circleBody: {
		sign: 'tiptap_body',
		schema: z
			.strictObject({
				name: Title.optional(),
				tiptap_body: RichTextBody,
				topics: z.array(Id).optional(),
			})
			.transform(({ tiptap_body, ...rest }) => ({ ...rest, body: tiptap_body })),
	},
	body: updateSchema({ name: Title, body: Body, topics: Topics }),
	response: Post,
})

export const deletePost = operation({
	id: 'deletePost',
	method: 'delete',
	path: '/api/headless/v1/posts/{postId}',
	summary: 'Delete a post',
	description: 'Allowed for the author, and for moderators, admins and owners.',
	auth: 'member',
	audit: 'none: content',
	params,
	response: Success,
})

const inSpace = (id: string) => ({
	id,
	path: '/api/headless/v1/spaces/{spaceId}/posts/{postId}' as const,
	params: z.object({ spaceId: pathInt, postId: pathInt }),
})
const otherSpace = 'Returns 404 if the post is in another space.'

export const getPostOfSpace = describeAlias(getPost, inSpace('getPostOfSpace'), otherSpace)
export const updatePostOfSpace = describeAlias(updatePost, inSpace('updatePostOfSpace'), otherSpace)
export const deletePostOfSpace = describeAlias(deletePost, inSpace('deletePostOfSpace'), otherSpace)
