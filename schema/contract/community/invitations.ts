import { z } from 'zod'
import { data, Email, pathInt, Timestamp } from '../fields.ts'
import { operation } from '../operation.ts'
import { PageQuery } from '../page.ts'
import { CommunityParams } from './communities.ts'
import { CommunityRole, Id, Success } from './fields.ts'

const tag = 'Community: invitations'
const sends =
	'Sends a link that is valid for 7 days. Inviting the same address again replaces the open invitation, whose link then stops working. 409 for active members and banned ones. Limits and refusals are those of invitations into organizations.'

export const CommunityInvitation = z
	.object({
		id: Id,
		email: z.string(),
		role: CommunityRole,
		status: z.enum(['open', 'accepted', 'expired']),
		createdAt: Timestamp,
		expiresAt: Timestamp,
	})
	.meta({ id: 'CommunityInvitation' })
export type CommunityInvitation = z.infer<typeof CommunityInvitation>

export const inviteToCommunity = operation({
	id: 'inviteToCommunity',
	method: 'post',
	path: '/v1/communities/{communityId}/invitations',
	tag,
	summary: 'Invite someone into a community by mail',
	description: sends,
	auth: 'admin',
	keysMaySend: { role: ['member'] },
	params: CommunityParams,
	idempotent: true,
	body: z.object({ email: Email, role: CommunityRole.default('member') }),
	status: 201,
	response: data(CommunityInvitation),
	errors: ['conflict', 'not_configured'],
})

export const listCommunityInvitations = operation({
	id: 'listCommunityInvitations',
	method: 'get',
	path: '/v1/communities/{communityId}/invitations',
	tag,
	summary: 'Invitations into a community, newest first',
	auth: 'admin',
	params: CommunityParams,
	query: PageQuery,
	paged: true,
	status: 200,
	response: data(z.array(CommunityInvitation)),
})

export const revokeCommunityInvitation = operation({
	id: 'revokeCommunityInvitation',
	method: 'delete',
	path: '/v1/communities/{communityId}/invitations/{invitationId}',
	tag,
	summary: 'Take an open invitation back',
	auth: 'admin',
	params: CommunityParams.extend({ invitationId: pathInt }),
	status: 200,
	response: data(z.object({ id: Id, deleted: z.literal(true) })),
})

export const acceptCommunityInvitation = operation({
	id: 'acceptCommunityInvitation',
	method: 'post',
	path: '/v1/communities/invitations/accept',
	tag,
	summary: 'Join the community that sent the link',
	description:
		'The token comes with the invitation mail. Only the invited address may use it, once; an unknown, used, replaced or expired token is 404, and so is one by a member who could not give its role any more. Who had left or was removed comes back with the role of the invitation; access groups and the calendar address are not given back. Who is a member already stays what they are.',
	auth: 'session',
	body: z.object({ token: z.string().min(1).max(64) }),
	status: 200,
	response: data(z.object({ id: Id, name: z.string(), slug: z.string(), memberId: Id })),
	errors: ['not_found'],
})

export const inviteMemberByMail = operation({
	id: 'inviteMemberByMail',
	method: 'post',
	path: '/api/headless/v1/invitations',
	tag,
	summary: 'Invite someone into the community by mail',
	description: `Takes the role moderator, admin or owner, and a role above the one that is given (403). An open invitation to a role that the caller may not give is not replaced (409). ${sends}`,
	auth: 'member',
	idempotent: true,
	body: z.object({ email: Email, role: CommunityRole.default('member') }),
	status: 201,
	response: Success,
	errors: ['conflict', 'not_configured'],
})
