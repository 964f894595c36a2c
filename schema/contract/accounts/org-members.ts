import { z } from 'zod'
import { data, Email, InvitationId, pathInt, Timestamp, UserId } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'
import { dataPage, PageQuery } from '../kit/page.ts'
import { Org, OrgParams } from './orgs.ts'
import { OrgRole } from './roles.ts'

const operation = describeOperations('Organizations')

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
	summary: 'List the members of an organization, oldest first',
	description: 'Unknown parameters get 400.',
	auth: 'read',
	params: OrgParams,
	query: PageQuery,
	paged: true,
	response: dataPage(OrgMember),
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
	summary: 'Invite a member by email',
	description:
		'Sends a link that is valid for 7 days. A new invitation to the same address replaces the open one, whose link stops working. Only an owner may invite an owner or replace such an invitation. Daily limits (429): 5 invitations to an address; 200 from a user; 50 (free), 500 (pro) or 2,000 (business, self-hosted) from an organization and its communities. Each abuse report of the last 30 days halves the limit of the organization. An address that unsubscribed from invitations gets no email, and the response does not reveal this.',
	auth: 'admin',
	openToKeys: 'invites members without power; other roles need a person',
	audit: 'member.invited',
	keysMaySend: { role: ['member'] },
	params: OrgParams,
	body: z.object({ email: Email, role: OrgRole.default('member') }),
	status: 201,
	response: data(Invitation),
	errors: ['not_found', 'conflict', 'plan_limit'],
})

export const listInvitations = operation({
	id: 'listInvitations',
	method: 'get',
	path: '/v1/orgs/{orgId}/invitations',
	summary: 'List the invitations of an organization, newest first',
	description: 'Unknown parameters get 400.',
	auth: 'admin',
	params: OrgParams,
	query: PageQuery,
	paged: true,
	response: dataPage(Invitation),
	errors: ['not_found'],
})

export const revokeInvitation = operation({
	id: 'revokeInvitation',
	method: 'delete',
	path: '/v1/orgs/{orgId}/invitations/{invitationId}',
	summary: 'Revoke an open invitation',
	description:
		"Returns 403 if the caller may not grant the role of the invitation. Admins can't revoke an invitation with the role owner; API keys can revoke only invitations with the role member.",
	auth: 'admin',
	openToKeys: 'cancels invitations of members without power',
	audit: 'member.invitation_revoked',
	params: OrgParams.extend({ invitationId: InvitationId }),
	response: data(z.object({ id: InvitationId, deleted: z.literal(true) })),
	errors: ['not_found'],
})

export const acceptInvitation = operation({
	id: 'acceptInvitation',
	method: 'post',
	path: '/v1/orgs/invitations/accept',
	summary: 'Accept an invitation to an organization',
	description:
		'The token comes from the invitation email. Only a user with the invited address may use it, after verifying that address (else 403 `email_unverified`). Returns 404 if the token is unknown, used, replaced or expired.',
	auth: 'session',
	audit: 'member.joined',
	body: z.object({ token: z.string().min(1).max(64) }),
	response: data(Org),
	errors: ['not_found', 'plan_limit', 'org_suspended'],
})

const MemberParams = OrgParams.extend({ userId: pathInt })

export const updateMember = operation({
	id: 'updateMember',
	method: 'patch',
	path: '/v1/orgs/{orgId}/members/{userId}',
	summary: 'Change the role of a member',
	description:
		'Only an owner may promote a member to owner or change the role of an owner. Returns 409 for the last owner. If an owner or admin becomes a member, their API keys and open invitations stop working.',
	auth: 'org-admin-person',
	audit: 'member.role_changed',
	params: MemberParams,
	body: z.object({ role: OrgRole }),
	response: data(OrgMember),
	errors: ['not_found', 'forbidden', 'conflict'],
})

export const removeMember = operation({
	id: 'removeMember',
	method: 'delete',
	path: '/v1/orgs/{orgId}/members/{userId}',
	summary: 'Remove a member, or leave the organization',
	description:
		'Every member may remove themselves. Removing somebody else requires the role admin; removing an owner requires the role owner. Returns 409 for the last owner. API keys that the member created and open invitations that the member sent stop working.',
	auth: 'session',
	audit: 'member.removed',
	params: MemberParams,
	response: data(z.object({ userId: UserId, deleted: z.literal(true) })),
	errors: ['not_found', 'forbidden', 'conflict'],
})
