import { z } from 'zod'
import { pathInt, Timestamp } from '../fields.ts'
import { operation } from '../operation.ts'
import { changesOf } from './communities.ts'
import { Author, Id, ListQuery, openList, SearchQuery, SpaceRef, Success, searchedFor } from './fields.ts'
import { PostImage } from './images.ts'

const tag = 'Community: posts'
const params = z.object({ postId: pathInt })
const bySpace = z.object({ spaceId: pathInt })

const Title = z.string().trim().min(1).max(200).nullable()
const Body = z.string().trim().min(1).max(50_000)

const Topics = z
	.array(Id)
	.max(10)
	.transform((ids) => [...new Set(ids)])
	.meta({ description: 'Ids of topics of the community' })

export const TopicRef = z.object({ id: Id, name: z.string(), slug: z.string() }).meta({ id: 'TopicRef' })

export const Post = z
	.object({
		id: Id,
		name: z.string().nullable().meta({ description: 'The title' }),
		body: z.string().meta({ description: 'Plain text' }),
		slug: z.string(),
		url: z.string(),
		created_at: Timestamp,
		updated_at: Timestamp,
		space: SpaceRef,
		author: Author,
		topics: z.array(TopicRef),
		images: z.array(PostImage),
		comments_count: z.int().nonnegative().meta({ description: 'Comments and replies' }),
		reactions: z
			.record(z.string(), z.int())
			.meta({ description: 'How many members reacted with each emoji' }),
		my_reaction: z.string().nullable(),
		is_bookmarked: z.boolean(),
		is_following: z.boolean(),
	})
	.meta({ id: 'Post' })
export type Post = z.infer<typeof Post>

export const listSpacePosts = operation({
	id: 'listSpacePosts',
	method: 'get',
	path: '/api/headless/v1/spaces/{spaceId}/posts',
	tag,
	summary: 'Posts of a space, newest first',
	auth: 'member',
	params: bySpace,
	query: ListQuery,
	status: 200,
	response: openList(Post),
})

export const createPost = operation({
	id: 'createPost',
	method: 'post',
	path: '/api/headless/v1/spaces/{spaceId}/posts',
	tag,
	summary: 'Post into a space',
	auth: 'member',
	params: bySpace,
	idempotent: true,
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
	method: 'get',
	path: '/api/headless/v1/home',
	tag,
	summary: 'Posts of all spaces that the caller sees, newest first',
	auth: 'member',
	query: ListQuery,
	status: 200,
	response: openList(Post),
})

export const searchPosts = operation({
	id: 'searchPosts',
	method: 'get',
	path: '/api/headless/v1/search/posts',
	tag,
	summary: 'Posts that the caller sees, by words of their title and body; the newest first',
	description: searchedFor('posts'),
	auth: 'member',
	query: SearchQuery,
	status: 200,
	response: openList(Post),
})

export const listMemberPosts = operation({
	id: 'listMemberPosts',
	method: 'get',
	path: '/api/headless/v1/community_members/{memberId}/posts',
	tag,
	summary: 'Posts of a member that the caller sees, newest first',
	auth: 'member',
	params: z.object({ memberId: pathInt }),
	query: ListQuery,
	status: 200,
	response: openList(Post),
})

export const getPost = operation({
	id: 'getPost',
	method: 'get',
	path: '/api/headless/v1/posts/{postId}',
	tag,
	summary: 'One post',
	auth: 'member',
	params,
	status: 200,
	response: Post,
})

export const updatePost = operation({
	id: 'updatePost',
	method: 'patch',
	path: '/api/headless/v1/posts/{postId}',
	tag,
	summary: 'Change a post of one’s own',
	auth: 'member',
	params,
	body: changesOf({ name: Title, body: Body, topics: Topics }),
	status: 200,
	response: Post,
})

export const deletePost = operation({
	id: 'deletePost',
	method: 'delete',
	path: '/api/headless/v1/posts/{postId}',
	tag,
	summary: 'Delete a post of one’s own, or as a moderator any',
	auth: 'member',
	params,
	status: 200,
	response: Success,
})
