import { z } from 'zod'
import { describeOperations } from '../../kit/operation.ts'
import { openListSchema, SearchQuery } from '../fields.ts'
import { MemberCard } from './members.ts'
import { Post } from './posts.ts'

const operation = describeOperations('Community: members')

const found = <T extends string, S extends z.ZodType>(type: T, attributes: S) =>
	z.object({ type: z.literal(type), id: z.string(), attributes })

export const SearchResult = z
	.discriminatedUnion('type', [found('post', Post), found('community_member', MemberCard)])
	.meta({ id: 'SearchResult' })
export type SearchResult = z.infer<typeof SearchResult>

export const searchCommunity = operation({
	id: 'searchCommunity',
	method: 'get',
	path: '/api/headless/v1/search',
	summary: 'Search posts and members together',
	description:
		'Finds what `GET /api/headless/v1/search/posts` and `GET /api/headless/v1/search/community_members` find, under the path that clients of Circle use. A page contains up to `per_page` members and as many posts, members first.',
	auth: 'member',
	query: SearchQuery,
	response: openListSchema(SearchResult),
})

/** Circle filters by profile fields here, which ours can't. An empty list asks for nothing. */
export const searchMembersByBody = operation({
	id: 'searchMembersByBody',
	method: 'post',
	path: '/api/headless/v1/search/community_members',
	summary: 'Search active members, with the text in the body',
	description:
		'The same as `GET /api/headless/v1/search/community_members`, in the form that clients of Circle use. Without `search_text`, lists active members, oldest first. Returns 400 for filters by profile fields.',
	auth: 'member',
	audit: 'none: content',
	idempotencyKey: { unkept: 'it reads, and a repetition must see new members' },
	body: z.object({
		search_text: z.string().trim().max(200).default(''),
		page: z.int().min(1).default(1),
		per_page: z.int().min(1).max(100).default(20),
		status: z.literal('active').optional(),
		filters: z.array(z.never()).optional(),
	}),
	response: openListSchema(MemberCard),
})
