import { z } from 'zod'
import { data, Email, pathInt, Timestamp, UserId, WebUrl } from '../fields.ts'
import { operation } from '../operation.ts'
import { PageQuery } from '../page.ts'
import { CommunityParams, changesOf } from './communities.ts'
import { CommunityRole, Id, MembershipStatus } from './fields.ts'

const tag = 'Community management'
const MemberParams = CommunityParams.extend({ memberId: pathInt })

export const CommunityMember = z
	.object({
		id: Id.meta({ description: 'The membership' }),
		userId: UserId,
		email: z.string(),
		name: z.string(),
		role: CommunityRole,
		status: MembershipStatus,
		ssoUserId: z.string().nullable(),
		avatarUrl: z.string().nullable(),
		headline: z.string().nullable(),
		bio: z.string().nullable(),
		createdAt: Timestamp,
		updatedAt: Timestamp,
	})
	.meta({ id: 'CommunityMember' })
export type CommunityMember = z.infer<typeof CommunityMember>

const profile = {
	ssoUserId: z
		.string()
		.min(1)
		.max(255)
		.nullable()
		.meta({ description: 'How your own sign-in knows the person; unique in the community' }),
	avatarUrl: WebUrl.nullable(),
	headline: z.string().trim().max(200).nullable(),
	bio: z.string().trim().max(2000).nullable(),
}

/** No member, and nothing of a person: whether anybody has the address shows nowhere. */
export const InvitedMember = z
	.object({
		invitationId: Id,
		email: z.string(),
		role: CommunityRole,
		status: z.literal('invited'),
		ssoUserId: z.string().nullable(),
		avatarUrl: z.string().nullable(),
		headline: z.string().nullable(),
		bio: z.string().nullable(),
		createdAt: Timestamp,
		expiresAt: Timestamp.meta({ description: 'When the link in the mail ends' }),
	})
	.meta({ id: 'InvitedMember' })
export type InvitedMember = z.infer<typeof InvitedMember>

export const listCommunityMembers = operation({
	id: 'listCommunityMembers',
	method: 'get',
	path: '/v1/communities/{communityId}/members',
	tag,
	summary: 'List members who are active, inactive or banned, oldest first',
	description: 'People who are invited are no members yet; they stand among the invitations.',
	auth: 'read',
	params: CommunityParams,
	query: PageQuery,
	paged: true,
	status: 200,
	response: data(z.array(CommunityMember)),
})

export const addCommunityMember = operation({
	id: 'addCommunityMember',
	method: 'post',
	path: '/v1/communities/{communityId}/members',
	tag,
	summary: 'Invite someone to be a member',
	description:
		'Nobody becomes a member without agreeing: sends a link that is valid for 7 days, and who follows it is a member with this role and profile. The answer is the same whether anybody has the address or not, and no account is made for it. Adding the same address again replaces the open invitation, whose link then stops working. 409 for active and banned members, and for an `ssoUserId` that another member has.',
	auth: 'admin',
	keysMaySend: { role: ['member'] },
	params: CommunityParams,
	idempotent: true,
	body: z.object({
		email: Email,
		role: CommunityRole.default('member'),
		ssoUserId: profile.ssoUserId.default(null),
		avatarUrl: profile.avatarUrl.default(null),
		headline: profile.headline.default(null),
		bio: profile.bio.default(null),
	}),
	status: 201,
	response: data(InvitedMember),
	errors: ['conflict', 'not_configured'],
})

export const getCommunityMember = operation({
	id: 'getCommunityMember',
	method: 'get',
	path: '/v1/communities/{communityId}/members/{memberId}',
	tag,
	summary: 'One member',
	auth: 'read',
	params: MemberParams,
	status: 200,
	response: data(CommunityMember),
})

export const updateCommunityMember = operation({
	id: 'updateCommunityMember',
	method: 'patch',
	path: '/v1/communities/{communityId}/members/{memberId}',
	tag,
	summary: 'Change role, state or profile of a member',
	description:
		'Only active members get in. Whoever is made inactive or banned loses tokens and streams at once; what they wrote, bookmarked and joined stays, and is theirs again when they come back. Places at coming events of one who is banned go to those who wait. When the last owner goes so, the admin, moderator or member who is there longest becomes one. An API key changes role and state of plain members only (403).',
	auth: 'admin',
	keysMaySend: { role: ['member'] },
	params: MemberParams,
	body: changesOf({ role: CommunityRole, status: MembershipStatus.exclude(['invited']), ...profile }),
	status: 200,
	response: data(CommunityMember),
	errors: ['conflict'],
})

export const removeCommunityMember = operation({
	id: 'removeCommunityMember',
	method: 'delete',
	path: '/v1/communities/{communityId}/members/{memberId}',
	tag,
	summary: 'Remove a member',
	description:
		'Out at once. Reactions, RSVPs, bookmarks, follows, access, notifications and profile are cleared away behind; what the member wrote stays under their name, and they may be invited again. When the last owner goes so, the admin, moderator or member who is there longest becomes one. An API key removes plain members only (403).',
	auth: 'admin',
	params: MemberParams,
	status: 200,
	response: data(z.object({ id: Id, deleted: z.literal(true) })),
})
