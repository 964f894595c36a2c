import { z } from 'zod'
import { data, Line, OrgId, pathInt, Timestamp } from '../../kit/fields.ts'
import { returnsEtag, takesIfMatch } from '../../kit/headers/entity-tag.ts'
import { describeOperations } from '../../kit/operation.ts'
import { dataPage, PageQuery } from '../../kit/page.ts'
import { publicSlugSchema, slugSchema } from '../../kit/slug.ts'
import { Id } from '../fields.ts'
import { ReactionName } from '../reaction.ts'

const operation = describeOperations('Community management')

export const CommunityParams = z.object({ communityId: pathInt })

export const Name = Line.min(1).max(100)
export const Slug = slugSchema(63)
const CommunitySlug = publicSlugSchema(63)

/** edge/community/domains/host.ts parses the domain and rejects invalid ones. */
const Domain = z.string().min(1).max(1_000).meta({
	description:
		'A host name for the community. It takes effect once it is verified: see `GET /v1/communities/{communityId}/domain`. Until then other communities may claim it too.',
})

const ReactionSet = z
	.array(ReactionName)
	.max(100)
	.refine((names) => new Set(names).size === names.length, 'must not repeat a name')
	.meta({
		description: 'Names that members can use as reactions, besides emojis and `like`; replaces the set',
	})

/** Returns the schema of an update; an update without fields is an error. */
export const updateSchema = <S extends z.ZodRawShape>(shape: S) =>
	z
		.object(shape)
		.partial()
		.refine((patch) => Object.keys(patch).length > 0, 'must change at least one field')

export const Community = z
	.object({
		id: Id,
		orgId: OrgId.nullable(),
		name: z.string(),
		slug: z.string(),
		customDomain: z.string().nullable(),
		reactions: z.array(z.string()),
		createdAt: Timestamp,
		updatedAt: Timestamp,
	})
	.meta({ id: 'Community' })
export type Community = z.infer<typeof Community>

export const listCommunities = operation({
	id: 'listCommunities',
	method: 'get',
	path: '/v1/communities',
	summary: 'List the communities of the organization, oldest first',
	auth: 'read',
	impersonation: 'read',
	query: PageQuery,
	paged: true,
	response: dataPage(Community),
})

export const createCommunity = operation({
	id: 'createCommunity',
	method: 'post',
	path: '/v1/communities',
	summary: 'Create a community',
	description: 'A user who creates a community becomes its owner.',
	auth: 'admin',
	openToKeys: 'creates something new',
	audit: 'community.created',
	body: z.object({ name: Name, slug: CommunitySlug, customDomain: Domain.nullable().default(null) }),
	status: 201,
	response: data(Community),
	errors: ['conflict'],
})

export const getCommunity = operation({
	id: 'getCommunity',
	method: 'get',
	path: '/v1/communities/{communityId}',
	summary: 'Get a community',
	auth: 'read',
	impersonation: 'read',
	params: CommunityParams,
	...returnsEtag,
	response: data(Community),
})

export const updateCommunity = operation({
	id: 'updateCommunity',
	method: 'patch',
	path: '/v1/communities/{communityId}',
	summary: 'Update the name, slug, domain or reactions of a community',
	description:
		'A new domain must be verified again, and the previous one stops working at once. Reactions with a name that was removed from the set are kept and shown.',
	auth: 'admin',
	openToKeys: 'changes settings, which can be changed back',
	audit: 'community.updated',
	params: CommunityParams,
	...takesIfMatch,
	body: updateSchema({
		name: Name,
		slug: CommunitySlug,
		customDomain: Domain.nullable(),
		reactions: ReactionSet,
	}),
	response: data(Community),
	errors: ['conflict'],
})

export const deleteCommunity = operation({
	id: 'deleteCommunity',
	method: 'delete',
	path: '/v1/communities/{communityId}',
	summary: 'Delete a community and its content for good',
	description:
		'The community disappears at once, and its slug and domain become available. Posts, members and images are deleted in the background. Users keep their accounts.',
	auth: 'org-admin-person',
	audit: 'community.deleted',
	params: CommunityParams,
	response: data(z.object({ id: Id, deleted: z.literal(true) })),
})
