import { z } from 'zod'
import { ApiKeyId, data, Email, InvitationId, OrgId, pathInt, Timestamp, UserId } from './fields.ts'
import { operation } from './operation.ts'
import { PageQuery } from './page.ts'
import { ApiScope, OrgRole } from './roles.ts'
import { publicSlugOf } from './slug.ts'
import { TierLimits, TierName } from './tiers.ts'

const tag = 'Organizations'
const OrgParams = z.object({ orgId: OrgId })
const OrgName = z.string().trim().min(1).max(100)
const Slug = publicSlugOf(48)

/** More is asked by edge/platform/outbound-url.ts, which knows the installation. */
const WebhookUrl = z
	.url({ protocol: /^https?$/ })
	.max(2048)
	.meta({
		description:
			'https (http only where the installation allows it), on port 80, 443, 8080 or 8443 of a public host that is not part of this installation, without a user name',
	})

export const Org = z
	.object({
		id: OrgId,
		name: z.string(),
		slug: z.string(),
		tier: TierName,
		role: OrgRole.nullable().meta({ description: 'Role of the calling person; null for an API key' }),
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
	summary: 'Organizations of the signed-in person, oldest first',
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
	summary: 'Create an organization; the caller becomes its owner',
	description:
		'A person makes at most 3 organizations of the tier free, 10 of pro and 25 of business (`ORGS_PER_PERSON` changes it); those that were handed over count, those of another tier by now do not. 403 `plan_limit` beyond that.',
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
	summary: 'One organization',
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
	summary: 'Change name, slug or webhook address',
	auth: 'admin',
	params: OrgParams,
	body: z
		.object({ name: OrgName, slug: Slug, webhookUrl: WebhookUrl.nullable() })
		.partial()
		.refine((patch) => Object.keys(patch).length > 0, 'nothing to change'),
	status: 200,
	response: data(Org),
	errors: ['not_found', 'conflict'],
})

export const getOrgUsage = operation({
	id: 'getOrgUsage',
	method: 'get',
	path: '/v1/orgs/{orgId}/usage',
	tag,
	summary: 'What is used of what the tier allows',
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
	summary: 'Members of the organization, oldest first',
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
	summary: 'Invite someone by mail',
	description:
		'Sends a link that is valid for 7 days. Inviting the same address again replaces the open invitation, whose link then stops working. Only an owner may invite an owner, or replace such an invitation. At most 5 invitations a day reach an address, 200 a day come from a person, and 50 (free), 500 (pro) or 2,000 (business, self-hosted) from an organization and its communities; each report of the last 30 days halves the latter (429). An address that has refused invitations gets no mail; the answer does not tell.',
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
	summary: 'Invitations of the organization, newest first',
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
	summary: 'Take an open invitation back',
	description:
		'403 for an invitation to a role that the caller may not give: owner for an admin, any above member for an API key.',
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
	summary: 'Join the organization that sent the link',
	description:
		'The token comes with the invitation mail. Only the invited address may use it, once it is verified (403, `email_unverified`); an unknown, used, replaced or expired token is 404.',
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
		'Only an owner may make or change an owner. The last owner keeps the role (409). API keys and open invitations of an owner or admin who becomes a member end.',
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
	summary: 'Remove a member, or leave',
	description:
		'Anyone may remove themselves; removing others takes the role admin, removing an owner the role owner. The last owner stays (409). API keys that the member made stop working, and open invitations that the member sent are taken back.',
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
		prefix: z.string().meta({ description: 'First characters, to recognise the key by' }),
		lastFour: z.string(),
		scopes: z.array(ApiScope),
		createdBy: z
			.object({ id: UserId, name: z.string() })
			.nullable()
			.meta({ description: 'Who made it. Null for a key without a maker, which opens nothing any more' }),
		createdAt: Timestamp,
		expiresAt: Timestamp.nullable(),
		lastUsedAt: Timestamp.nullable().meta({ description: 'Exact to five minutes' }),
	})
	.meta({ id: 'ApiKey' })

export const listApiKeys = operation({
	id: 'listApiKeys',
	method: 'get',
	path: '/v1/orgs/{orgId}/api-keys',
	tag,
	summary: 'API keys of the organization, newest first; never the keys themselves',
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
	summary: 'Create an API key; `key` is shown this once',
	description: 'It works for as long as its maker is an owner or admin of the organization.',
	auth: 'org-admin-person',
	params: OrgParams,
	idempotent: true,
	body: z.object({
		name: z.string().trim().min(1).max(100),
		scopes: z
			.array(ApiScope)
			.min(1)
			.max(4)
			.default(['read', 'write'])
			.transform((scopes) => [...new Set(scopes)]),
		expiresAt: z.iso.datetime({ offset: true }).nullable().default(null),
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
	summary: 'Delete an API key; it stops working at once',
	auth: 'org-admin-person',
	params: OrgParams.extend({ keyId: ApiKeyId }),
	status: 200,
	response: data(z.object({ id: ApiKeyId, deleted: z.literal(true) })),
	errors: ['not_found'],
})
