import { z } from 'zod'
import { data, Email, foreignId, Line, pathInt, Timestamp, UserId, WebUrl } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { dataPage, PageQuery } from '../../kit/page.ts'
import { CommunityMemberId, CommunityRole, Id, MembershipStatus } from '../fields.ts'
import { CommunityParams, updateSchema } from './communities.ts'
import { vouchedFields } from './managed-members.ts'

const operation = describeOperations('Community management')
export const MemberParams = CommunityParams.extend({ memberId: pathInt })

export const CommunityMember = z
	.object({
		id: CommunityMemberId,
		memberId: CommunityMemberId,
		userId: UserId.meta({ description: 'The user id, which is the same in every community' }),
		email: z.string().nullable().meta({
			description: 'The address of the account; for a managed member, the one that you gave, or null',
		}),
		name: z.string(),
		managed: z
			.boolean()
			.meta({ description: 'Whether your organization vouches for this person, who has no account' }),
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
	ssoUserId: foreignId(255)
		.nullable()
		.meta({ description: 'The id of the person in your own sign-in system; unique in the community' }),
	avatarUrl: WebUrl.nullable().meta({
		description: 'Setting another URL or null deletes an avatar that the member uploaded',
	}),
	headline: Line.max(200).nullable(),
	bio: z.string().trim().max(2000).nullable(),
}

/** An invitation in the form of a member. Contains no data of a user, to not reveal whether the address has an account. */
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
		expiresAt: Timestamp.meta({ description: 'When the link in the email expires' }),
	})
	.meta({ id: 'InvitedMember' })
export type InvitedMember = z.infer<typeof InvitedMember>

export const MembersQuery = PageQuery.extend({
	email: Email.optional(),
	ssoUserId: foreignId(255).optional(),
	role: CommunityRole.optional(),
	status: MembershipStatus.exclude(['invited']).optional(),
	q: z.string().trim().min(1).max(200).optional(),
	accessGroupId: pathInt.optional().meta({ description: 'Members of this access group, also expired ones' }),
})
export type MembersQuery = z.infer<typeof MembersQuery>

export const listCommunityMembers = operation({
	id: 'listCommunityMembers',
	method: 'get',
	path: '/v1/communities/{communityId}/members',
	summary: 'List active, inactive and banned members, oldest first',
	description:
		'Invited people are not members yet; see the invitations. Filters can be combined. `q` finds words of name, headline and bio, or a part of them, as the member search does; changes are searchable after a few seconds.',
	auth: 'read',
	keyScope: 'members:write',
	params: CommunityParams,
	query: MembersQuery,
	paged: true,
	response: dataPage(CommunityMember),
})

export const addCommunityMember = operation({
	id: 'addCommunityMember',
	method: 'post',
	path: '/v1/communities/{communityId}/members',
	summary: 'Invite a member, or add a managed member without an email',
	description:
		'With `status: "active"`, your organization vouches for the person: they are a member at once, without an account, an email or a password. Your server authenticates them and gets their tokens with `auth_token`. `ssoUserId` and, for a new member, `name` are required. Repeat the call to change what you send; what you leave out stays, and access groups are added (200 instead of 201). An inactive member becomes active again. `email` is unproved: nothing is sent to it, nobody signs in with it, and it reveals nothing about an account with that address. If the `ssoUserId` is that of a member with an account, `name` and `email` can only be the ones of the account (409). Returns 409 for a banned member, whom PATCH unbans.\n\nWithout `status`, sends a link that is valid for 7 days. The person who accepts it becomes a member with this role and profile; nobody becomes a member without consent. The response does not reveal whether the address has an account, and no account is created. A new invitation to the same address replaces the open one, whose link stops working. Returns 409 for active and banned members, and for an `ssoUserId` of another member.',
	auth: 'admin',
	keyScope: 'members:write',
	openToKeys: 'adds members without power; other roles need a person, and invitations the scope `admin`',
	audit: ['community_member.invited', 'community_member.vouched'],
	keysMaySend: { role: ['member'] },
	params: CommunityParams,
	body: z
		.object({
			status: z.literal('active').optional(),
			role: CommunityRole.optional().meta({ description: '`member` unless you send another one' }),
			ssoUserId: profile.ssoUserId.optional(),
			...vouchedFields,
		})
		.superRefine(({ status, email, ssoUserId, name, profileFields, accessGroupIds }, context) => {
			const report = (field: string, message: string) =>
				context.addIssue({ code: 'custom', path: [field], message })
			if (status === 'active') {
				if (!ssoUserId) report('ssoUserId', 'is required with status active')
				return
			}
			if (!email) report('email', 'is required without status active')
			for (const [field, value] of Object.entries({ name, profileFields, accessGroupIds }))
				if (value !== undefined) report(field, 'needs status active')
		}),
	status: 201,
	statusIfExists: 200,
	response: data(z.union([CommunityMember, InvitedMember])),
	errors: ['conflict', 'not_configured'],
})

export const getCommunityMember = operation({
	id: 'getCommunityMember',
	method: 'get',
	path: '/v1/communities/{communityId}/members/{memberId}',
	summary: 'Get a member',
	auth: 'read',
	keyScope: 'members:write',
	params: MemberParams,
	response: data(CommunityMember),
})

export const updateCommunityMember = operation({
	id: 'updateCommunityMember',
	method: 'patch',
	path: '/v1/communities/{communityId}/members/{memberId}',
	summary: 'Update the role, status or profile of a member',
	description:
		'Only active members have access. A member who becomes inactive or banned loses tokens and streams at once; posts, bookmarks and joined spaces are kept in case the member returns. Their places at events that have not ended go to the waitlist at once and are not given back. If the last owner becomes inactive or banned, the longest-standing admin, else moderator, else member becomes owner. Returns 409 for a lower role for the last owner. An API key may change role and status only of members with the role `member` (403).',
	auth: 'admin',
	keyScope: 'members:write',
	openToKeys: 'changes profiles of all members, but role and status only of regular ones',
	audit: 'community_member.updated',
	keysMaySend: { role: ['member'] },
	params: MemberParams,
	body: updateSchema({ role: CommunityRole, status: MembershipStatus.exclude(['invited']), ...profile }),
	response: data(CommunityMember),
	errors: ['conflict'],
})

export const removeCommunityMember = operation({
	id: 'removeCommunityMember',
	method: 'delete',
	path: '/v1/communities/{communityId}/members/{memberId}',
	summary: 'Remove a member',
	description:
		'The member disappears at once from every list, from events, and from the counts of reactions and followers. Places at events go to the waitlist. Posts and comments are kept under the name of the member, with `community_member_id` null. A removed member can be invited again at once, as a new member. Private data of the member is deleted some seconds later, and so are reactions and follows beyond the first 2,000. If the last owner is removed, the longest-standing admin, else moderator, else member becomes owner. An API key may remove only members with the role `member` (403).\n\nA managed member is erased as a person, as if they had deleted an account: posts and comments lose their author, and all other data goes. No backup brings them back. `deleteContent=true` deletes their posts and comments, too; for members with an account, it gets 409.',
	auth: 'admin',
	openToKeys: 'removes regular members',
	audit: 'community_member.removed',
	params: MemberParams,
	query: z.object({ deleteContent: z.enum(['true', 'false']).default('false') }),
	response: data(z.object({ id: Id, deleted: z.literal(true) })),
	errors: ['conflict'],
})
