import { z } from 'zod'
import { data, Email, pathInt, Timestamp } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { dataPage, PageQuery } from '../../kit/page.ts'
import { CommunityMemberId, CommunityRole, Id, Success } from '../fields.ts'
import { CommunityParams } from './communities.ts'

const operation = describeOperations('Community: invitations')
const invitationRules =
	'Sends a link that is valid for 7 days. A new invitation to the same address replaces the open one, whose link stops working. Returns 409 for active and banned members. The limits of invitations to organizations apply here too.'

export const CommunityInvitation = z
	.object({
		id: Id,
		email: z.string(),
		memberId: CommunityMemberId.nullable().meta({
			description:
				'The membership of the person who accepted; null before that, and if they are no longer a member',
		}),
		role: CommunityRole,
		status: z.enum(['open', 'accepted', 'expired']),
		createdAt: Timestamp,
		expiresAt: Timestamp,
	})
	.meta({ id: 'CommunityInvitation' })
export type CommunityInvitation = z.infer<typeof CommunityInvitation>

export const inviteToCommunity = operation({
	id: 'inviteToCommunity',
	sdk: 'communities.invitations.create',
	method: 'post',
	path: '/v1/communities/{communityId}/invitations',
	summary: 'Invite a member to a community by email',
	description: invitationRules,
	auth: 'admin',
	openToKeys: 'invites members without power; other roles need a person',
	audit: 'community_member.invited',
	keysMaySend: { role: ['member'] },
	params: CommunityParams,
	body: z.object({ email: Email, role: CommunityRole.default('member') }),
	status: 201,
	response: data(CommunityInvitation),
	errors: ['conflict', 'not_configured'],
})

export const listCommunityInvitations = operation({
	id: 'listCommunityInvitations',
	method: 'get',
	path: '/v1/communities/{communityId}/invitations',
	summary: 'List the invitations to a community, newest first',
	description: 'Unknown parameters get 400.',
	auth: 'admin',
	params: CommunityParams,
	query: PageQuery,
	paged: true,
	response: dataPage(CommunityInvitation),
})

export const revokeCommunityInvitation = operation({
	id: 'revokeCommunityInvitation',
	method: 'delete',
	path: '/v1/communities/{communityId}/invitations/{invitationId}',
	summary: 'Revoke an open invitation to a community',
	auth: 'admin',
	openToKeys: 'cancels an unused invitation, which can be sent again',
	audit: 'community_member.invitation_revoked',
	params: CommunityParams.extend({ invitationId: pathInt }),
	response: data(z.object({ id: Id, deleted: z.literal(true) })),
})

export const acceptCommunityInvitation = operation({
	id: 'acceptCommunityInvitation',
	method: 'post',
	path: '/v1/communities/invitations/accept',
	summary: 'Accept an invitation to a community',
	description:
		'The token comes from the invitation email, and only a user with the invited address may use it, once. Returns 404 if the token is unknown, used, replaced or expired, or if its sender may no longer grant the role. A former member rejoins with the role of the invitation, but without the former access groups and calendar URL. A current member keeps their role.',
	auth: 'session',
	audit: 'community_member.joined',
	body: z.object({ token: z.string().min(1).max(64) }),
	response: data(z.object({ id: Id, name: z.string(), slug: z.string(), memberId: CommunityMemberId })),
	errors: ['not_found'],
})

export const inviteMemberByMail = operation({
	id: 'inviteMemberByMail',
	sdk: 'community.members.invite',
	method: 'post',
	path: '/api/headless/v1/invitations',
	summary: 'Invite a member by email',
	description: `Requires the role moderator, admin or owner, and a higher role than the invitation grants (403). Returns 409 if it would replace an open invitation with a role that the caller may not grant. ${invitationRules}`,
	auth: 'member',
	audit: 'community_member.invited',
	body: z.object({ email: Email, role: CommunityRole.default('member') }),
	status: 201,
	response: Success,
	errors: ['conflict', 'not_configured'],
})
