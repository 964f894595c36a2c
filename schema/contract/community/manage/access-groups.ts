import { z } from 'zod'
import { data, Instant, pathInt, Timestamp } from '../../kit/fields.ts'
import { returnsEtag, takesIfMatch } from '../../kit/headers/entity-tag.ts'
import { describeOperations } from '../../kit/operation.ts'
import { dataPage, PageQuery } from '../../kit/page.ts'
import { CommunityMemberId, Id } from '../fields.ts'
import { CommunityParams, Name, updateSchema } from './communities.ts'

const operation = describeOperations('Community management')
const GroupParams = CommunityParams.extend({ accessGroupId: pathInt })
const MemberParams = GroupParams.extend({ memberId: pathInt })
const SpaceParams = GroupParams.extend({ spaceId: pathInt })
const Status = z.enum(['active', 'archived'])

export const AccessGroup = z
	.object({
		id: Id,
		name: z.string(),
		status: Status.meta({ description: 'An archived group gives no access' }),
		createdAt: Timestamp,
	})
	.meta({ id: 'AccessGroup' })

export const listAccessGroups = operation({
	id: 'listAccessGroups',
	method: 'get',
	path: '/v1/communities/{communityId}/access-groups',
	summary: 'List access groups, oldest first',
	auth: 'read',
	params: CommunityParams,
	query: PageQuery,
	paged: true,
	response: dataPage(AccessGroup),
})

export const createAccessGroup = operation({
	id: 'createAccessGroup',
	method: 'post',
	path: '/v1/communities/{communityId}/access-groups',
	summary: 'Create an access group',
	description: 'The members of an access group see its private and secret spaces.',
	auth: 'admin',
	openToKeys: 'gives access to content, not power over people',
	audit: 'access_group.created',
	params: CommunityParams,
	body: z.object({ name: Name }),
	status: 201,
	response: data(AccessGroup),
})

export const getAccessGroup = operation({
	id: 'getAccessGroup',
	method: 'get',
	path: '/v1/communities/{communityId}/access-groups/{accessGroupId}',
	summary: 'Get an access group',
	auth: 'read',
	params: GroupParams,
	...returnsEtag,
	response: data(AccessGroup),
})

export const updateAccessGroup = operation({
	id: 'updateAccessGroup',
	method: 'patch',
	path: '/v1/communities/{communityId}/access-groups/{accessGroupId}',
	summary: 'Rename, archive or reactivate an access group',
	auth: 'admin',
	openToKeys: 'gives access to content, not power over people',
	audit: 'access_group.updated',
	params: GroupParams,
	...takesIfMatch,
	body: updateSchema({ name: Name, status: Status }),
	response: data(AccessGroup),
})

export const deleteAccessGroup = operation({
	id: 'deleteAccessGroup',
	method: 'delete',
	path: '/v1/communities/{communityId}/access-groups/{accessGroupId}',
	summary: 'Delete an access group',
	description: 'Its members lose the access that the group gave them.',
	auth: 'admin',
	openToKeys: 'removes access to content, which can be given again',
	audit: 'access_group.deleted',
	params: GroupParams,
	response: data(z.object({ id: Id, deleted: z.literal(true) })),
})

export const AccessGroupMember = z
	.object({
		memberId: CommunityMemberId,
		name: z.string(),
		expiresAt: Timestamp.nullable(),
		addedAt: Timestamp,
	})
	.meta({ id: 'AccessGroupMember' })

export const listAccessGroupMembers = operation({
	id: 'listAccessGroupMembers',
	method: 'get',
	path: '/v1/communities/{communityId}/access-groups/{accessGroupId}/members',
	summary: 'List the members of an access group, in the order in which they were added',
	auth: 'read',
	params: GroupParams,
	query: PageQuery,
	paged: true,
	response: dataPage(AccessGroupMember),
})

export const putAccessGroupMembers = operation({
	id: 'putAccessGroupMembers',
	method: 'put',
	path: '/v1/communities/{communityId}/access-groups/{accessGroupId}/members',
	summary: 'Add up to 1,000 members to an access group',
	description:
		'All of them get the same `expiresAt`, also those who are in the group. `added` is false for an id that is no member of the community; the others are added all the same. Other members stay in the group.',
	auth: 'admin',
	openToKeys: 'gives access to content, not power over people',
	audit: 'access_group.member_added',
	params: GroupParams,
	body: z.object({
		memberIds: z
			.array(CommunityMemberId)
			.min(1)
			.max(1_000)
			.transform((ids) => [...new Set(ids)]),
		expiresAt: Instant.nullable().default(null),
	}),
	response: data(
		z.array(z.object({ memberId: CommunityMemberId, added: z.boolean() }).meta({ id: 'AddedGroupMember' })),
	),
})

export const listAccessGroupsOfMember = operation({
	id: 'listAccessGroupsOfMember',
	method: 'get',
	path: '/v1/communities/{communityId}/members/{memberId}/access-groups',
	summary: 'List the access groups of a member, by id',
	auth: 'read',
	keyScope: 'members:write',
	params: CommunityParams.extend({ memberId: pathInt }),
	response: data(
		z.array(
			z
				.object({
					id: Id,
					name: z.string(),
					status: Status,
					expiresAt: Timestamp.nullable(),
					addedAt: Timestamp,
				})
				.meta({ id: 'AccessGroupOfMember' }),
		),
	),
})

export const putAccessGroupMember = operation({
	id: 'putAccessGroupMember',
	method: 'put',
	path: '/v1/communities/{communityId}/access-groups/{accessGroupId}/members/{memberId}',
	summary: 'Add a member to an access group',
	description:
		'The access lasts until `expiresAt`, or without limit if it is null. Repeat the call to change `expiresAt`.',
	auth: 'admin',
	openToKeys: 'gives access to content, not power over people',
	audit: 'access_group.member_added',
	params: MemberParams,
	body: z.object({ expiresAt: Instant.nullable().default(null) }),
	bodyOptional: true,
	response: data(z.object({ memberId: CommunityMemberId, expiresAt: Timestamp.nullable() })),
})

export const removeAccessGroupMember = operation({
	id: 'removeAccessGroupMember',
	method: 'delete',
	path: '/v1/communities/{communityId}/access-groups/{accessGroupId}/members/{memberId}',
	summary: 'Remove a member from an access group',
	auth: 'admin',
	openToKeys: 'removes access to content, which can be given again',
	audit: 'access_group.member_removed',
	params: MemberParams,
	response: data(z.object({ memberId: CommunityMemberId, deleted: z.literal(true) })),
})

export const listAccessGroupSpaces = operation({
	id: 'listAccessGroupSpaces',
	method: 'get',
	path: '/v1/communities/{communityId}/access-groups/{accessGroupId}/spaces',
	summary: 'List the spaces of an access group, by id',
	auth: 'read',
	params: GroupParams,
	response: data(z.array(z.object({ spaceId: Id, name: z.string() }).meta({ id: 'AccessGroupSpace' }))),
})

export const putAccessGroupSpace = operation({
	id: 'putAccessGroupSpace',
	method: 'put',
	path: '/v1/communities/{communityId}/access-groups/{accessGroupId}/spaces/{spaceId}',
	summary: 'Add a space to an access group',
	auth: 'admin',
	openToKeys: 'gives access to content, not power over people',
	audit: 'access_group.space_added',
	params: SpaceParams,
	response: data(z.object({ spaceId: Id })),
})

export const removeAccessGroupSpace = operation({
	id: 'removeAccessGroupSpace',
	method: 'delete',
	path: '/v1/communities/{communityId}/access-groups/{accessGroupId}/spaces/{spaceId}',
	summary: 'Remove a space from an access group',
	auth: 'admin',
	openToKeys: 'removes access to content, which can be given again',
	audit: 'access_group.space_removed',
	params: SpaceParams,
	response: data(z.object({ spaceId: Id, deleted: z.literal(true) })),
})
