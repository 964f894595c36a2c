import { z } from 'zod'
import { data, pathInt, Timestamp } from '../../kit/fields.ts'
import { returnsEtag, takesIfMatch } from '../../kit/headers/entity-tag.ts'
import { describeOperations } from '../../kit/operation.ts'
import { Id, SpacePolicy, SpaceType, SpaceVisibility } from '../fields.ts'
import { Emoji } from '../reaction.ts'
import { CommunityParams, Name, Slug, updateSchema } from './communities.ts'

const operation = describeOperations('Community management')
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
	summary: 'List space groups by position',
	auth: 'read',
	impersonation: 'read',
	params: CommunityParams,
	response: data(z.array(SpaceGroup)),
})

export const createSpaceGroup = operation({
	id: 'createSpaceGroup',
	method: 'post',
	path: '/v1/communities/{communityId}/space-groups',
	summary: 'Create a space group',
	auth: 'write',
	audit: 'none: content',
	impersonation: 'write',
	params: CommunityParams,
	body: z.object({ name: Name, slug: Slug, position: Position.default(0) }),
	status: 201,
	response: data(SpaceGroup),
	errors: ['conflict'],
})

export const updateSpaceGroup = operation({
	id: 'updateSpaceGroup',
	method: 'patch',
	path: '/v1/communities/{communityId}/space-groups/{spaceGroupId}',
	summary: 'Update a space group',
	auth: 'write',
	audit: 'none: content',
	impersonation: 'write',
	params: GroupParams,
	body: updateSchema({ name: Name, slug: Slug, position: Position }),
	response: data(SpaceGroup),
	errors: ['conflict'],
})

export const deleteSpaceGroup = operation({
	id: 'deleteSpaceGroup',
	method: 'delete',
	path: '/v1/communities/{communityId}/space-groups/{spaceGroupId}',
	summary: 'Delete a space group but keep its spaces',
	auth: 'write',
	audit: 'none: content',
	params: GroupParams,
	response: data(z.object({ id: Id, deleted: z.literal(true) })),
})

const Description = z.string().trim().max(2_000)
const policies = {
	postPolicy: SpacePolicy.meta({
		description:
			'The lowest role that may create posts and events; with `nobody`, the space is read-only. Events need the role moderator in any case. Authors may still edit and delete their posts.',
	}),
	commentPolicy: SpacePolicy.meta({ description: 'The lowest role that may comment and reply' }),
}

export const Space = z
	.object({
		id: Id,
		spaceGroupId: Id.nullable(),
		name: z.string(),
		slug: z.string(),
		spaceType: SpaceType,
		visibility: SpaceVisibility.meta({
			description: 'Members see a private or secret space only through an access group',
		}),
		position: z.int(),
		emoji: z.string().nullable(),
		description: z.string(),
		...policies,
		postsCount: z.int().nonnegative().meta({ description: 'Number of posts that members can see' }),
		createdAt: Timestamp,
		updatedAt: Timestamp,
	})
	.meta({ id: 'Space' })

export const listManagedSpaces = operation({
	id: 'listManagedSpaces',
	method: 'get',
	path: '/v1/communities/{communityId}/spaces',
	summary: 'List all spaces of a community by position',
	auth: 'read',
	impersonation: 'read',
	params: CommunityParams,
	response: data(z.array(Space)),
})

export const createSpace = operation({
	id: 'createSpace',
	method: 'post',
	path: '/v1/communities/{communityId}/spaces',
	summary: 'Create a space',
	auth: 'write',
	audit: 'space.created',
	params: CommunityParams,
	body: z.object({
		name: Name,
		slug: Slug,
		spaceType: SpaceType.default('basic'),
		visibility: SpaceVisibility.default('public'),
		spaceGroupId: Id.nullable().default(null),
		position: Position.default(0),
		emoji: Emoji.nullable().default(null),
		description: Description.default(''),
		postPolicy: policies.postPolicy.default('everyone'),
		commentPolicy: policies.commentPolicy.default('everyone'),
	}),
	status: 201,
	response: data(Space),
	errors: ['conflict'],
})

export const getManagedSpace = operation({
	id: 'getManagedSpace',
	method: 'get',
	path: '/v1/communities/{communityId}/spaces/{spaceId}',
	summary: 'Get a space',
	auth: 'read',
	impersonation: 'read',
	params: SpaceParams,
	...returnsEtag,
	response: data(Space),
})

export const updateSpace = operation({
	id: 'updateSpace',
	method: 'patch',
	path: '/v1/communities/{communityId}/spaces/{spaceId}',
	summary: 'Update a space',
	auth: 'write',
	audit: 'space.updated',
	params: SpaceParams,
	...takesIfMatch,
	body: updateSchema({
		name: Name,
		slug: Slug,
		spaceType: SpaceType,
		visibility: SpaceVisibility,
		spaceGroupId: Id.nullable(),
		position: Position,
		emoji: Emoji.nullable(),
		description: Description,
		...policies,
	}),
	response: data(Space),
	errors: ['conflict'],
})

export const deleteSpace = operation({
	id: 'deleteSpace',
	method: 'delete',
	path: '/v1/communities/{communityId}/spaces/{spaceId}',
	summary: 'Delete an empty space',
	description:
		'Returns 409 if the space has posts or events. Hidden posts count too; restore and delete them first.',
	auth: 'write',
	audit: 'space.deleted',
	params: SpaceParams,
	response: data(z.object({ id: Id, deleted: z.literal(true) })),
	errors: ['conflict'],
})
