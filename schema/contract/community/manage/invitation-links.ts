import { z } from 'zod'
import { data, Instant, Line, pathInt, Timestamp } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { dataPage, PageQuery } from '../../kit/page.ts'
import { CommunityMemberId, CommunityRole, Id } from '../fields.ts'
import { CommunityParams } from './communities.ts'

const operation = describeOperations('Community: invitations')

const LinkRole = CommunityRole.exclude(['owner'])

export const InvitationLink = z
	.object({
		id: Id,
		name: z.string(),
		role: LinkRole,
		accessGroupIds: z.array(Id),
		maxUses: z.int().positive().nullable(),
		uses: z.int().nonnegative().meta({ description: 'How many people have joined with the link' }),
		expiresAt: Timestamp.nullable(),
		createdAt: Timestamp,
	})
	.meta({ id: 'InvitationLink' })
export type InvitationLink = z.infer<typeof InvitationLink>

export const createInvitationLink = operation({
	id: 'createInvitationLink',
	method: 'post',
	path: '/v1/communities/{communityId}/invitation-links',
	summary: 'Create a link that many people may join with',
	description:
		'Put `token` into a link to a page of yours, behind a `#`, so that no server logs it; the page sends it to `POST /v1/invitation-links/join`. It is returned only once. The link works while its maker is an admin or owner of the organization. A link that gives the role admin or moderator needs `maxUses` or `expiresAt`. Returns 404 for an access group of another community.',
	auth: 'admin',
	openToKeys: 'invites members without power; other roles need a person',
	audit: 'invitation_link.created',
	keysMaySend: { role: ['member'] },
	params: CommunityParams,
	body: z
		.object({
			name: Line.min(1).max(100),
			role: LinkRole.default('member'),
			accessGroupIds: z.array(Id).max(100).default([]),
			maxUses: z.int().min(1).max(1_000_000).nullable().default(null),
			expiresAt: Instant.nullable().default(null),
		})
		.refine(({ role, maxUses, expiresAt }) => role === 'member' || maxUses !== null || expiresAt !== null, {
			path: ['maxUses'],
			message: 'must be set for the roles admin and moderator, unless expiresAt is',
		}),
	status: 201,
	response: data(InvitationLink.extend({ token: z.string() }).meta({ id: 'NewInvitationLink' })),
	errors: ['not_found'],
})

export const listInvitationLinks = operation({
	id: 'listInvitationLinks',
	method: 'get',
	path: '/v1/communities/{communityId}/invitation-links',
	summary: 'List the invitation links of a community, newest first',
	description: 'The tokens are never returned.',
	auth: 'admin',
	params: CommunityParams,
	query: PageQuery,
	paged: true,
	response: dataPage(InvitationLink),
})

export const revokeInvitationLink = operation({
	id: 'revokeInvitationLink',
	method: 'delete',
	path: '/v1/communities/{communityId}/invitation-links/{linkId}',
	summary: 'Revoke an invitation link, which stops working at once',
	description: 'People who joined with it stay.',
	auth: 'admin',
	openToKeys: 'revokes a way in; a new link can be made',
	audit: 'invitation_link.revoked',
	params: CommunityParams.extend({ linkId: pathInt }),
	response: data(z.object({ id: Id, deleted: z.literal(true) })),
})

export const joinByInvitationLink = operation({
	id: 'joinByInvitationLink',
	sdk: 'communities.invitationLinks.join',
	method: 'post',
	path: '/v1/invitation-links/join',
	summary: 'Join a community with an invitation link',
	description:
		'Needs a verified email address. Returns 404 if the token is unknown, revoked, expired or used up, and for banned people. A current member keeps their role and uses nothing up. A former member rejoins with the role and access groups of the link, but without the former ones.',
	auth: 'session',
	audit: 'community_member.joined',
	body: z.object({ token: z.string().min(1).max(64) }),
	response: data(z.object({ id: Id, name: z.string(), slug: z.string(), memberId: CommunityMemberId })),
	errors: ['not_found', 'email_unverified'],
})
