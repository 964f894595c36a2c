import { z } from 'zod'
import { openBySpecification } from '../../kit/bodies/open-bodies.ts'
import { pathInt } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { fixedListSchema, Id, SpaceType, SpaceVisibility, Success } from '../fields.ts'

const operation = describeOperations('Community: spaces')
const params = z.object({ spaceId: pathInt })

/** The maximum number of unread posts per space that a list of spaces counts. */
export const MAX_UNREAD = 20
/** The maximum number of posts of a space that counting unread posts reads. */
export const MAX_UNREAD_EXAMINED = 200

/** A space as members see it. */
export const MemberSpace = z
	.object({
		id: Id,
		name: z.string(),
		slug: z.string(),
		space_type: SpaceType,
		space_group_id: Id.nullable(),
		emoji: z.string().nullable(),
		description: z.string(),
		visibility: SpaceVisibility,
		posts_count: z.int().nonnegative(),
		unread_posts_count: z
			.int()
			.min(0)
			.max(MAX_UNREAD)
			.meta({
				description: `Number of posts of others since the caller marked the space as read, or else joined; ${MAX_UNREAD} means that many or more. Counts only among the newest ${MAX_UNREAD_EXAMINED} posts of the space, those of the caller included`,
			}),
		policies: z
			.object({
				can_create_post: z.boolean(),
				can_create_event: z.boolean(),
				can_create_comment: z.boolean(),
			})
			.meta({ id: 'SpacePolicies', description: 'What the caller may do in the space' }),
	})
	.meta({ id: 'MemberSpace' })
export type MemberSpace = z.infer<typeof MemberSpace>

export const listSpaces = operation({
	id: 'listSpaces',
	method: 'get',
	path: '/api/headless/v1/spaces',
	summary: 'List the spaces that the caller can see, by position',
	auth: 'member',
	response: fixedListSchema(MemberSpace),
})

export const getSpace = operation({
	id: 'getSpace',
	method: 'get',
	path: '/api/headless/v1/spaces/{spaceId}',
	summary: 'Get a space',
	auth: 'member',
	params,
	response: MemberSpace,
})

export const getHomeSpace = operation({
	id: 'getHomeSpace',
	method: 'get',
	path: '/api/headless/v1/spaces/home',
	summary: 'Get the first space that the caller can see, by position',
	description: 'For clients of Circle, where a community has a home space. Returns 404 if there is no space.',
	auth: 'member',
	response: MemberSpace,
})

export const listMemberSpaces = operation({
	id: 'listMemberSpaces',
	method: 'get',
	path: '/api/headless/v1/community_members/{memberId}/spaces',
	summary: 'List the spaces of a member by position',
	description: 'Lists the spaces that both the member and the caller can see.',
	auth: 'member',
	params: z.object({ memberId: pathInt }),
	response: fixedListSchema(MemberSpace),
})

export const Topic = z
	.object({ id: Id, name: z.string(), slug: z.string(), posts_count: z.int().positive(), space_id: Id })
	.meta({ id: 'Topic' })

export const listTopics = operation({
	id: 'listTopics',
	method: 'get',
	path: '/api/headless/v1/spaces/{spaceId}/topics',
	summary: 'List the topics of the posts in a space, most used first',
	auth: 'member',
	params,
	response: fixedListSchema(Topic),
})

const noEffect =
	'Has no effect, because visibility and access groups decide who sees a space. It exists for clients that join a space before they use it.'

/** A topic of the community, not limited to a space. */
export const CommunityTopic = z
	.object({
		id: Id,
		name: z.string(),
		slug: z.string(),
		posts_count: z
			.int()
			.nonnegative()
			.meta({ description: 'Number of posts with the topic that the caller can see' }),
	})
	.meta({ id: 'CommunityTopic' })
export type CommunityTopic = z.infer<typeof CommunityTopic>

export const listAllTopics = operation({
	id: 'listAllTopics',
	method: 'get',
	path: '/api/headless/v1/topics',
	summary: 'List all topics of the community, most used first',
	description: 'Includes topics without posts.',
	auth: 'member',
	response: fixedListSchema(CommunityTopic),
})

export const MemberSpaceGroup = z
	.object({ id: Id, name: z.string(), slug: z.string() })
	.meta({ id: 'MemberSpaceGroup' })
export type MemberSpaceGroup = z.infer<typeof MemberSpaceGroup>

const visibleGroups = 'Shows a group only if the caller can see one of its spaces.'

export const listMemberSpaceGroups = operation({
	id: 'listMemberSpaceGroups',
	method: 'get',
	path: '/api/headless/v1/space_groups',
	summary: 'List space groups by position',
	description: visibleGroups,
	auth: 'member',
	response: fixedListSchema(MemberSpaceGroup),
})

export const getMemberSpaceGroup = operation({
	id: 'getMemberSpaceGroup',
	method: 'get',
	path: '/api/headless/v1/space_groups/{spaceGroupId}',
	summary: 'Get a space group',
	description: visibleGroups,
	auth: 'member',
	params: z.object({ spaceGroupId: pathInt }),
	response: MemberSpaceGroup,
})

export const joinSpace = operation({
	id: 'joinSpace',
	method: 'post',
	path: '/api/headless/v1/spaces/{spaceId}/join',
	summary: 'Join a space',
	description: noEffect,
	auth: 'member',
	audit: 'none: own membership',
	openBody: openBySpecification,
	params,
	response: Success,
})

export const markSpaceRead = operation({
	id: 'markSpaceRead',
	method: 'post',
	path: '/api/headless/v1/spaces/{spaceId}/mark_as_read',
	summary: 'Mark the posts of a space as read',
	description: 'Sets `unread_posts_count` of the space to 0 for the caller.',
	auth: 'member',
	audit: 'none: own membership',
	openBody: openBySpecification,
	params,
	response: Success,
})

export const leaveSpace = operation({
	id: 'leaveSpace',
	method: 'post',
	path: '/api/headless/v1/spaces/{spaceId}/leave',
	summary: 'Leave a space',
	description: noEffect,
	auth: 'member',
	audit: 'none: own membership',
	openBody: openBySpecification,
	params,
	response: Success,
})

export const listCommunityLinks = operation({
	id: 'listCommunityLinks',
	method: 'get',
	path: '/api/headless/v1/community_links',
	summary: 'List community links',
	description: 'Always empty, because communities have no links.',
	auth: 'member',
	response: fixedListSchema(z.never()),
})
