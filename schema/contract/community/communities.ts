import { z } from 'zod'
import { data, OrgId, pathInt, Timestamp } from '../fields.ts'
import { operation } from '../operation.ts'
import { PageQuery } from '../page.ts'
import { publicSlugOf, slugOf } from '../slug.ts'
import { Id } from './fields.ts'

const tag = 'Community management'

export const CommunityParams = z.object({ communityId: pathInt })

export const Name = z.string().trim().min(1).max(100)
export const Slug = slugOf(63)
const CommunitySlug = publicSlugOf(63)

/** What is one is decided where addresses are parsed (edge/community/domains/host.ts). */
const Domain = z.string().min(1).max(1_000).meta({
	description:
		'The host of the community once it is verified: see `GET /v1/communities/{communityId}/domain`. Until then it is a claim without effect, which others may have too.',
})

/** A change that changes nothing is a mistake. */
export const changesOf = <S extends z.ZodRawShape>(shape: S) =>
	z
		.object(shape)
		.partial()
		.refine((patch) => Object.keys(patch).length > 0, 'nothing to change')

export const Community = z
	.object({
		id: Id,
		orgId: OrgId.nullable(),
		name: z.string(),
		slug: z.string(),
		customDomain: z.string().nullable(),
		createdAt: Timestamp,
		updatedAt: Timestamp,
	})
	.meta({ id: 'Community' })
export type Community = z.infer<typeof Community>

export const listCommunities = operation({
	id: 'listCommunities',
	method: 'get',
	path: '/v1/communities',
	tag,
	summary: 'Communities of the organization, oldest first',
	auth: 'read',
	query: PageQuery,
	paged: true,
	status: 200,
	response: data(z.array(Community)),
})

export const createCommunity = operation({
	id: 'createCommunity',
	method: 'post',
	path: '/v1/communities',
	tag,
	summary: 'Create a community of the organization; a person who does becomes its owner',
	auth: 'admin',
	idempotent: true,
	body: z.object({ name: Name, slug: CommunitySlug, customDomain: Domain.nullable().default(null) }),
	status: 201,
	response: data(Community),
	errors: ['conflict'],
})

export const getCommunity = operation({
	id: 'getCommunity',
	method: 'get',
	path: '/v1/communities/{communityId}',
	tag,
	summary: 'One community',
	auth: 'read',
	params: CommunityParams,
	status: 200,
	response: data(Community),
})

export const updateCommunity = operation({
	id: 'updateCommunity',
	method: 'patch',
	path: '/v1/communities/{communityId}',
	tag,
	summary: 'Change name, slug or domain of a community',
	description: 'Another domain is a new claim: the one before stops working at once.',
	auth: 'admin',
	params: CommunityParams,
	body: changesOf({ name: Name, slug: CommunitySlug, customDomain: Domain.nullable() }),
	status: 200,
	response: data(Community),
	errors: ['conflict'],
})

export const deleteCommunity = operation({
	id: 'deleteCommunity',
	method: 'delete',
	path: '/v1/communities/{communityId}',
	tag,
	summary: 'Delete a community with everything in it',
	description:
		'It is gone for everyone at once, and its slug and domain are free; posts, members and pictures are cleared away behind. People keep their accounts. There is no way back.',
	auth: 'org-admin-person',
	params: CommunityParams,
	status: 200,
	response: data(z.object({ id: Id, deleted: z.literal(true) })),
})
