import { z } from 'zod'
import { data, pathInt, Timestamp } from '../fields.ts'
import { operation } from '../operation.ts'
import { PageQuery } from '../page.ts'
import { CommunityParams, changesOf, Name } from './communities.ts'
import { Id } from './fields.ts'

const tag = 'Community management'
const GroupParams = CommunityParams.extend({ accessGroupId: pathInt })
const MemberParams = GroupParams.extend({ memberId: pathInt })
const SpaceParams = GroupParams.extend({ spaceId: pathInt })
const Status = z.enum(['active', 'archived'])

export const AccessGroup = z
	.object({
		id: Id,
		name: z.string(),
		status: Status.meta({ description: 'An archived group opens nothing' }),
		createdAt: Timestamp,
	})
	.meta({ id: 'AccessGroup' })

export const listAccessGroups = operation({
	id: 'listAccessGroups',
	method: 'get',
	path: '/v1/communities/{communityId}/access-groups',
	tag,
	summary: 'Access groups, oldest first',
	auth: 'read',
	params: CommunityParams,
	query: PageQuery,
	paged: true,
	status: 200,
	response: data(z.array(AccessGroup)),
})

export const createAccessGroup = operation({
	id: 'createAccessGroup',
	method: 'post',
	path: '/v1/communities/{communityId}/access-groups',
	tag,
	summary: 'Create an access group: its members see its spaces',
	auth: 'admin',
	params: CommunityParams,
	idempotent: true,
	body: z.object({ name: Name }),
	status: 201,
	response: data(AccessGroup),
})

export const updateAccessGroup = operation({
	id: 'updateAccessGroup',
	method: 'patch',
	path: '/v1/communities/{communityId}/access-groups/{accessGroupId}',
	tag,
	summary: 'Rename, archive or revive an access group',
	auth: 'admin',
	params: GroupParams,
	body: changesOf({ name: Name, status: Status }),
	status: 200,
	response: data(AccessGroup),
})

export const deleteAccessGroup = operation({
	id: 'deleteAccessGroup',
	method: 'delete',
	path: '/v1/communities/{communityId}/access-groups/{accessGroupId}',
	tag,
	summary: 'Delete an access group, and with it the access it gave',
	auth: 'admin',
	params: GroupParams,
	status: 200,
	response: data(z.object({ id: Id, deleted: z.literal(true) })),
})

export const AccessGroupMember = z
	.object({ memberId: Id, name: z.string(), expiresAt: Timestamp.nullable(), addedAt: Timestamp })
	.meta({ id: 'AccessGroupMember' })

export const listAccessGroupMembers = operation({
	id: 'listAccessGroupMembers',
	method: 'get',
	path: '/v1/communities/{communityId}/access-groups/{accessGroupId}/members',
	tag,
	summary: 'Members of an access group, first added first',
	auth: 'read',
	params: GroupParams,
	query: PageQuery,
	paged: true,
	status: 200,
	response: data(z.array(AccessGroupMember)),
})

export const putAccessGroupMember = operation({
	id: 'putAccessGroupMember',
	method: 'put',
	path: '/v1/communities/{communityId}/access-groups/{accessGroupId}/members/{memberId}',
	tag,
	summary: 'Put a member into an access group, for good or until a moment; again to change that',
	auth: 'admin',
	params: MemberParams,
	body: z.object({ expiresAt: z.iso.datetime({ offset: true }).nullable().default(null) }),
	bodyOptional: true,
	status: 200,
	response: data(z.object({ memberId: Id, expiresAt: Timestamp.nullable() })),
})

export const removeAccessGroupMember = operation({
	id: 'removeAccessGroupMember',
	method: 'delete',
	path: '/v1/communities/{communityId}/access-groups/{accessGroupId}/members/{memberId}',
	tag,
	summary: 'Take a member out of an access group',
	auth: 'admin',
	params: MemberParams,
	status: 200,
	response: data(z.object({ memberId: Id, deleted: z.literal(true) })),
})

export const listAccessGroupSpaces = operation({
	id: 'listAccessGroupSpaces',
	method: 'get',
	path: '/v1/communities/{communityId}/access-groups/{accessGroupId}/spaces',
	tag,
	summary: 'Spaces that an access group opens, in the order of their ids',
	auth: 'read',
	params: GroupParams,
	status: 200,
	response: data(z.array(z.object({ spaceId: Id, name: z.string() }).meta({ id: 'AccessGroupSpace' }))),
})

export const putAccessGroupSpace = operation({
	id: 'putAccessGroupSpace',
	method: 'put',
	path: '/v1/communities/{communityId}/access-groups/{accessGroupId}/spaces/{spaceId}',
	tag,
	summary: 'Let an access group open a space',
	auth: 'admin',
	params: SpaceParams,
	status: 200,
	response: data(z.object({ spaceId: Id })),
})

export const removeAccessGroupSpace = operation({
	id: 'removeAccessGroupSpace',
	method: 'delete',
	path: '/v1/communities/{communityId}/access-groups/{accessGroupId}/spaces/{spaceId}',
	tag,
	summary: 'Let an access group open a space no more',
	auth: 'admin',
	params: SpaceParams,
	status: 200,
	response: data(z.object({ spaceId: Id, deleted: z.literal(true) })),
})
