import { z } from 'zod'
import { pathInt } from '../fields.ts'
import { operation } from '../operation.ts'
import { fixedList, Id, SpaceType, Success } from './fields.ts'

const tag = 'Community: spaces'
const params = z.object({ spaceId: pathInt })

/** As a member sees it. */
export const MemberSpace = z
	.object({
		id: Id,
		name: z.string(),
		slug: z.string(),
		space_type: SpaceType,
		space_group_id: Id.nullable(),
	})
	.meta({ id: 'MemberSpace' })
export type MemberSpace = z.infer<typeof MemberSpace>

export const listSpaces = operation({
	id: 'listSpaces',
	method: 'get',
	path: '/api/headless/v1/spaces',
	tag,
	summary: 'Spaces that the caller sees, in their order',
	auth: 'member',
	status: 200,
	response: fixedList(MemberSpace),
})

export const getSpace = operation({
	id: 'getSpace',
	method: 'get',
	path: '/api/headless/v1/spaces/{spaceId}',
	tag,
	summary: 'One space',
	auth: 'member',
	params,
	status: 200,
	response: MemberSpace,
})

export const listMemberSpaces = operation({
	id: 'listMemberSpaces',
	method: 'get',
	path: '/api/headless/v1/community_members/{memberId}/spaces',
	tag,
	summary: 'Spaces that a member sees, in their order',
	description: 'Without those that the caller does not see: their very names are not for the caller.',
	auth: 'member',
	params: z.object({ memberId: pathInt }),
	status: 200,
	response: fixedList(MemberSpace),
})

export const Topic = z
	.object({ id: Id, name: z.string(), slug: z.string(), posts_count: z.int().positive(), space_id: Id })
	.meta({ id: 'Topic' })

export const listTopics = operation({
	id: 'listTopics',
	method: 'get',
	path: '/api/headless/v1/spaces/{spaceId}/topics',
	tag,
	summary: 'Tags of the posts of a space, the most used first',
	auth: 'member',
	params,
	status: 200,
	response: fixedList(Topic),
})

const unchanged =
	'Changes nothing: who sees a space is for access groups to say. It is there for clients that ask first.'

export const joinSpace = operation({
	id: 'joinSpace',
	method: 'post',
	path: '/api/headless/v1/spaces/{spaceId}/join',
	tag,
	summary: 'Join a space',
	description: unchanged,
	auth: 'member',
	params,
	status: 200,
	response: Success,
})

export const leaveSpace = operation({
	id: 'leaveSpace',
	method: 'post',
	path: '/api/headless/v1/spaces/{spaceId}/leave',
	tag,
	summary: 'Leave a space',
	description: unchanged,
	auth: 'member',
	params,
	status: 200,
	response: Success,
})

export const listCommunityLinks = operation({
	id: 'listCommunityLinks',
	method: 'get',
	path: '/api/headless/v1/community_links',
	tag,
	summary: 'Links of the community: there are none',
	auth: 'member',
	status: 200,
	response: fixedList(z.never()),
})
