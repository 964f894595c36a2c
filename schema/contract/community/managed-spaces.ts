import { z } from 'zod'
import { data, pathInt, Timestamp } from '../fields.ts'
import { operation } from '../operation.ts'
import { CommunityParams, changesOf, Name, Slug } from './communities.ts'
import { Id, SpaceType, SpaceVisibility } from './fields.ts'

const tag = 'Community management'
const GroupParams = CommunityParams.extend({ spaceGroupId: pathInt })
const SpaceParams = CommunityParams.extend({ spaceId: pathInt })
const Position = z.int().min(0).max(1_000_000)

export const SpaceGroup = z
	.object({ id: Id, name: z.string(), slug: z.string(), position: z.int(), createdAt: Timestamp })
	.meta({ id: 'SpaceGroup' })

export const listSpaceGroups = operation({
	id: 'listSpaceGroups',
	method: 'get',
	path: '/v1/communities/{communityId}/space-groups',
	tag,
	summary: 'Space groups, in their order',
	auth: 'read',
	params: CommunityParams,
	status: 200,
	response: data(z.array(SpaceGroup)),
})

export const createSpaceGroup = operation({
	id: 'createSpaceGroup',
	method: 'post',
	path: '/v1/communities/{communityId}/space-groups',
	tag,
	summary: 'Create a space group',
	auth: 'write',
	params: CommunityParams,
	idempotent: true,
	body: z.object({ name: Name, slug: Slug, position: Position.default(0) }),
	status: 201,
	response: data(SpaceGroup),
	errors: ['conflict'],
})

export const updateSpaceGroup = operation({
	id: 'updateSpaceGroup',
	method: 'patch',
	path: '/v1/communities/{communityId}/space-groups/{spaceGroupId}',
	tag,
	summary: 'Change a space group',
	auth: 'write',
	params: GroupParams,
	body: changesOf({ name: Name, slug: Slug, position: Position }),
	status: 200,
	response: data(SpaceGroup),
	errors: ['conflict'],
})

export const deleteSpaceGroup = operation({
	id: 'deleteSpaceGroup',
	method: 'delete',
	path: '/v1/communities/{communityId}/space-groups/{spaceGroupId}',
	tag,
	summary: 'Delete a space group; its spaces stay, in no group',
	auth: 'write',
	params: GroupParams,
	status: 200,
	response: data(z.object({ id: Id, deleted: z.literal(true) })),
})

export const Space = z
	.object({
		id: Id,
		spaceGroupId: Id.nullable(),
		name: z.string(),
		slug: z.string(),
		spaceType: SpaceType,
		visibility: SpaceVisibility.meta({
			description: 'Members see private and secret spaces only through an access group',
		}),
		position: z.int(),
		createdAt: Timestamp,
		updatedAt: Timestamp,
	})
	.meta({ id: 'Space' })

export const listManagedSpaces = operation({
	id: 'listManagedSpaces',
	method: 'get',
	path: '/v1/communities/{communityId}/spaces',
	tag,
	summary: 'All spaces of a community, in their order',
	auth: 'read',
	params: CommunityParams,
	status: 200,
	response: data(z.array(Space)),
})

export const createSpace = operation({
	id: 'createSpace',
	method: 'post',
	path: '/v1/communities/{communityId}/spaces',
	tag,
	summary: 'Create a space',
	auth: 'write',
	params: CommunityParams,
	idempotent: true,
	body: z.object({
		name: Name,
		slug: Slug,
		spaceType: SpaceType.default('basic'),
		visibility: SpaceVisibility.default('public'),
		spaceGroupId: Id.nullable().default(null),
		position: Position.default(0),
	}),
	status: 201,
	response: data(Space),
	errors: ['conflict'],
})

export const getManagedSpace = operation({
	id: 'getManagedSpace',
	method: 'get',
	path: '/v1/communities/{communityId}/spaces/{spaceId}',
	tag,
	summary: 'One space',
	auth: 'read',
	params: SpaceParams,
	status: 200,
	response: data(Space),
})

export const updateSpace = operation({
	id: 'updateSpace',
	method: 'patch',
	path: '/v1/communities/{communityId}/spaces/{spaceId}',
	tag,
	summary: 'Change a space',
	auth: 'write',
	params: SpaceParams,
	body: changesOf({
		name: Name,
		slug: Slug,
		spaceType: SpaceType,
		visibility: SpaceVisibility,
		spaceGroupId: Id.nullable(),
		position: Position,
	}),
	status: 200,
	response: data(Space),
	errors: ['conflict'],
})

export const deleteSpace = operation({
	id: 'deleteSpace',
	method: 'delete',
	path: '/v1/communities/{communityId}/spaces/{spaceId}',
	tag,
	summary: 'Delete a space that holds no posts and no events (else 409)',
	auth: 'write',
	params: SpaceParams,
	status: 200,
	response: data(z.object({ id: Id, deleted: z.literal(true) })),
	errors: ['conflict'],
})
