import { z } from 'zod'
import { data, Line, OrgId, SessionId, Timestamp, UserId } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { dataPage, PageQuery } from '../../kit/page.ts'

const operation = describeOperations('Administration')
const OrgParams = z.object({ orgId: OrgId })

export const MAX_IMPERSONATION_MINUTES = 60

export const Impersonation = z
	.object({
		id: SessionId,
		impersonator: z
			.object({ userId: UserId, email: z.string() })
			.nullable()
			.meta({ description: 'The superadmin; null after the deletion of their account' }),
		userId: UserId,
		orgId: OrgId,
		reason: z.string(),
		caseNumber: z.string().nullable(),
		write: z.boolean(),
		createdAt: Timestamp,
		expiresAt: Timestamp,
		endedAt: Timestamp.nullable().meta({ description: 'When somebody ended it, before it expired' }),
	})
	.meta({ id: 'Impersonation' })
export type Impersonation = z.infer<typeof Impersonation>

export const impersonate = operation({
	id: 'impersonate',
	method: 'post',
	path: '/v1/admin/impersonate',
	summary: 'See an organization as one of its members does',
	description:
		'Returns a token with which most reads of the organization work as for that member, and with `write` some changes. Passwords, keys, members, secrets, exports and deletions are always refused. Owners see the reason and every request, and can end the impersonation. Returns 403 for superadmins, for oneself, and if the organization does not allow support access.',
	auth: 'superadmin',
	audit: 'impersonation.started',
	recentProof: true,
	body: z.object({
		userId: UserId,
		orgId: OrgId,
		reason: Line.min(10).max(500).meta({ description: 'Shown to the owners of the organization' }),
		caseNumber: Line.min(1)
			.max(100)
			.nullable()
			.default(null)
			.meta({ description: 'The number of the support case, shown to the owners, too' }),
		write: z.boolean().default(false),
		minutes: z.int().min(1).max(MAX_IMPERSONATION_MINUTES).default(MAX_IMPERSONATION_MINUTES),
	}),
	status: 201,
	signsIn: 'impersonation',
	response: data(z.object({ token: z.string(), impersonation: Impersonation })),
	errors: ['not_found', 'not_configured'],
})

export const listImpersonations = operation({
	id: 'listImpersonations',
	method: 'get',
	path: '/v1/orgs/{orgId}/impersonations',
	tag: 'Organizations',
	summary: 'List when superadmins acted as members of the organization, newest first',
	auth: 'org-admin-person',
	whenSuspended: 'open',
	params: OrgParams,
	query: PageQuery,
	paged: true,
	response: dataPage(Impersonation),
	errors: ['not_found'],
})

export const endImpersonation = operation({
	id: 'endImpersonation',
	method: 'delete',
	path: '/v1/orgs/{orgId}/impersonations/{impersonationId}',
	tag: 'Organizations',
	summary: 'End the impersonation of a member',
	auth: 'org-admin-person',
	audit: 'impersonation.ended',
	whenSuspended: 'open',
	params: OrgParams.extend({ impersonationId: SessionId }),
	response: data(z.object({ id: SessionId, ended: z.literal(true) })),
	errors: ['not_found'],
})

export const setSupportAccess = operation({
	id: 'setSupportAccess',
	method: 'put',
	path: '/v1/orgs/{orgId}/support-access',
	tag: 'Organizations',
	summary: 'Decide whether superadmins may act as members of the organization',
	description: 'Without support access, no impersonation can start, and open ones end at once.',
	auth: 'org-admin-person',
	audit: 'support_access.changed',
	whenSuspended: 'open',
	params: OrgParams,
	body: z.object({ allowed: z.boolean() }),
	response: data(z.object({ allowed: z.boolean() })),
	errors: ['not_found'],
})
