import { z } from 'zod'
import {
	ApiKeyId,
	data,
	Email,
	Instant,
	InvitationId,
	Line,
	OrgId,
	pathInt,
	Timestamp,
	UserId,
} from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'
import { PageQuery } from '../kit/page.ts'
import { publicSlugOf } from '../kit/slug.ts'
import { ApiScope, OrgRole } from './roles.ts'
import { TierLimits, TierName } from './tiers.ts'

const tag = 'Organizations'
const OrgParams = z.object({ orgId: OrgId })
const OrgName = Line.min(1).max(100)
const Slug = publicSlugOf(48)

/** edge/platform/network/outbound-url.ts checks the rest, because the rules depend on the installation. */
const WebhookUrl = z
	.url({ protocol: /^https?$/ })
	.max(2048)
	.meta({
		description:
			'An https URL (http only if the installation allows it) on port 80, 443, 8080 or 8443 of a public host outside this installation, without a user name',
	})

export const Org = z
	.object({
		id: OrgId,
		name: z.string(),
		slug: z.string(),
		tier: TierName,
		role: OrgRole.nullable().meta({ description: 'Role of the calling user; null for an API key' }),
		webhookUrl: z.string().nullable(),
		suspended: z.boolean(),
		createdAt: Timestamp,
		updatedAt: Timestamp,
	})
	.meta({ id: 'Org' })
export type Org = z.infer<typeof Org>

export const listOrgs = operation({
	id: 'listOrgs',
	method: 'get',
	path: '/v1/orgs',
	tag,
	summary: 'List the organizations of the signed-in user, oldest first',
	auth: 'session',
	query: PageQuery,
	paged: true,
	status: 200,
	response: data(z.array(Org)),
})

export const createOrg = operation({
	id: 'createOrg',
	method: 'post',
	path: '/v1/orgs',
	tag,
	summary: 'Create an organization with the caller as owner',
	description:
		'A user may create at most 3 organizations with the tier free, 10 with pro and 25 with business; the installation can change this with `ORGS_PER_PERSON`. Organizations that have a new owner still count; organizations that changed their tier do not. Returns 403 `plan_limit` beyond that.',
	auth: 'session',
	idempotent: true,
	body: z.object({ name: OrgName, slug: Slug.optional() }),
	status: 201,
	response: data(Org),
	errors: ['conflict', 'plan_limit'],
})

export const getOrg = operation({
	id: 'getOrg',
	method: 'get',
	path: '/v1/orgs/{orgId}',
	tag,
	summary: 'Get an organization',
	auth: 'read',
	params: OrgParams,
	status: 200,
	response: data(Org),
	errors: ['not_found'],
})

export const updateOrg = operation({
	id: 'updateOrg',
	method: 'patch',
	path: '/v1/orgs/{orgId}',
	tag,
	summary: 'Update the name, slug or webhook URL of an organization',
	auth: 'admin',
	params: OrgParams,
	body: z
		.object({ name: OrgName, slug: Slug, webhookUrl: WebhookUrl.nullable() })
		.partial()
		.refine((patch) => Object.keys(patch).length > 0, 'must change at least one field'),
	status: 200,
	response: data(Org),
	errors: ['not_found', 'conflict'],
})

export const getOrgUsage = operation({
	id: 'getOrgUsage',
	method: 'get',
	path: '/v1/orgs/{orgId}/usage',
	tag,
	summary: 'Get the usage and limits of an organization',
	auth: 'read',
	params: OrgParams,
	status: 200,
	response: data(
		z
			.object({
				tier: TierName,
				period: z.object({ from: Timestamp, to: Timestamp }),
				used: z.object({
					encodeMinutesPerMonth: z.number(),
					storageBytes: z.int(),
					deliveryMinutesPerMonth: z.number(),
					apiKeys: z.int(),
					members: z.int(),
				}),
				limits: TierLimits,
			})
			.meta({ id: 'OrgUsage' }),
	),
	errors: ['not_found'],
})

export const OrgMember = z
	.object({
		userId: UserId,
		email: z.string(),
		name: z.string(),
		role: OrgRole,
		joinedAt: Timestamp,
	})
	.meta({ id: 'OrgMember' })

export const listMembers = operation({
	id: 'listMembers',
	method: 'get',
	path: '/v1/orgs/{orgId}/members',
	tag,
	summary: 'List the members of an organization, oldest first',
	auth: 'read',
	params: OrgParams,
	query: PageQuery,
	paged: true,
	status: 200,
	response: data(z.array(OrgMember)),
	errors: ['not_found'],
})

export const Invitation = z
	.object({
		id: InvitationId,
		email: z.string(),
		role: OrgRole,
		status: z.enum(['open', 'accepted', 'expired']),
		createdAt: Timestamp,
		expiresAt: Timestamp,
	})
	.meta({ id: 'Invitation' })

export const inviteMember = operation({
	id: 'inviteMember',
	method: 'post',
	path: '/v1/orgs/{orgId}/members',
	tag,
	summary: 'Invite a member by email',
	description:
		'Sends a link that is valid for 7 days. A new invitation to the same address replaces the open one, whose link stops working. Only an owner may invite an owner or replace such an invitation. Daily limits (429): 5 invitations to an address; 200 from a user; 50 (free), 500 (pro) or 2,000 (business, self-hosted) from an organization and its communities. Each abuse report of the last 30 days halves the limit of the organization. An address that unsubscribed from invitations gets no email, and the response does not reveal this.',
	auth: 'admin',
	keysMaySend: { role: ['member'] },
	params: OrgParams,
	idempotent: true,
	body: z.object({ email: Email, role: OrgRole.default('member') }),
	status: 201,
	response: data(Invitation),
	errors: ['not_found', 'conflict', 'plan_limit'],
})

export const listInvitations = operation({
	id: 'listInvitations',
	method: 'get',
	path: '/v1/orgs/{orgId}/invitations',
	tag,
	summary: 'List the invitations of an organization, newest first',
	auth: 'admin',
	params: OrgParams,
	query: PageQuery,
	paged: true,
	status: 200,
	response: data(z.array(Invitation)),
	errors: ['not_found'],
})

export const revokeInvitation = operation({
	id: 'revokeInvitation',
	method: 'delete',
	path: '/v1/orgs/{orgId}/invitations/{invitationId}',
	tag,
	summary: 'Revoke an open invitation',
	description:
		'Returns 403 if the caller may not grant the role of the invitation. Admins can’t revoke an invitation with the role owner; API keys can revoke only invitations with the role member.',
	auth: 'admin',
	params: OrgParams.extend({ invitationId: InvitationId }),
	status: 200,
	response: data(z.object({ id: InvitationId, deleted: z.literal(true) })),
	errors: ['not_found'],
})

export const acceptInvitation = operation({
	id: 'acceptInvitation',
	method: 'post',
	path: '/v1/orgs/invitations/accept',
	tag,
	summary: 'Accept an invitation to an organization',
	description:
		'The token comes from the invitation email. Only a user with the invited address may use it, after verifying that address (else 403 `email_unverified`). Returns 404 if the token is unknown, used, replaced or expired.',
	auth: 'session',
	body: z.object({ token: z.string().min(1).max(64) }),
	status: 200,
	response: data(Org),
	errors: ['not_found', 'plan_limit', 'org_suspended'],
})

const MemberParams = OrgParams.extend({ userId: pathInt })

export const updateMember = operation({
	id: 'updateMember',
	method: 'patch',
	path: '/v1/orgs/{orgId}/members/{userId}',
	tag,
	summary: 'Change the role of a member',
	description:
		'Only an owner may promote a member to owner or change the role of an owner. Returns 409 for the last owner. If an owner or admin becomes a member, their API keys and open invitations stop working.',
	auth: 'org-admin-person',
	params: MemberParams,
	body: z.object({ role: OrgRole }),
	status: 200,
	response: data(OrgMember),
	errors: ['not_found', 'forbidden', 'conflict'],
})

export const removeMember = operation({
	id: 'removeMember',
	method: 'delete',
	path: '/v1/orgs/{orgId}/members/{userId}',
	tag,
	summary: 'Remove a member, or leave the organization',
	description:
		'Every member may remove themselves. Removing somebody else requires the role admin; removing an owner requires the role owner. Returns 409 for the last owner. API keys that the member created and open invitations that the member sent stop working.',
	auth: 'session',
	params: MemberParams,
	status: 200,
	response: data(z.object({ userId: UserId, deleted: z.literal(true) })),
	errors: ['not_found', 'forbidden', 'conflict'],
})

export const ApiKey = z
	.object({
		id: ApiKeyId,
		name: z.string(),
		prefix: z.string().meta({ description: 'The first characters of the key, to recognize it by' }),
		lastFour: z.string(),
		scopes: z.array(ApiScope),
		createdBy: z.object({ id: UserId, name: z.string() }).nullable().meta({
			description: 'The user who created the key; null if that user was deleted, and the key no longer works',
		}),
		createdAt: Timestamp,
		expiresAt: Timestamp.nullable(),
		lastUsedAt: Timestamp.nullable().meta({ description: 'Accurate to five minutes' }),
	})
	.meta({ id: 'ApiKey' })

export const listApiKeys = operation({
	id: 'listApiKeys',
	method: 'get',
	path: '/v1/orgs/{orgId}/api-keys',
	tag,
	summary: 'List the API keys of an organization, newest first',
	description: 'The keys themselves are never returned.',
	auth: 'org-admin-person',
	params: OrgParams,
	query: PageQuery,
	paged: true,
	status: 200,
	response: data(z.array(ApiKey)),
	errors: ['not_found'],
})

export const createApiKey = operation({
	id: 'createApiKey',
	method: 'post',
	path: '/v1/orgs/{orgId}/api-keys',
	tag,
	summary: 'Create an API key',
	description:
		'`key` is returned only once. The key works while the user who created it is an owner or admin of the organization.',
	auth: 'org-admin-person',
	params: OrgParams,
	idempotent: true,
	body: z.object({
		name: Line.min(1).max(100),
		scopes: z
			.array(ApiScope)
			.min(1)
			.max(4)
			.default(['read', 'write'])
			.transform((scopes) => [...new Set(scopes)]),
		expiresAt: Instant.nullable().default(null),
	}),
	status: 201,
	response: data(ApiKey.extend({ key: z.string() }).meta({ id: 'NewApiKey' })),
	errors: ['not_found', 'plan_limit'],
})

export const deleteApiKey = operation({
	id: 'deleteApiKey',
	method: 'delete',
	path: '/v1/orgs/{orgId}/api-keys/{keyId}',
	tag,
	summary: 'Delete an API key, which stops working at once',
	auth: 'org-admin-person',
	params: OrgParams.extend({ keyId: ApiKeyId }),
	status: 200,
	response: data(z.object({ id: ApiKeyId, deleted: z.literal(true) })),
	errors: ['not_found'],
})
