import { z } from 'zod'
import { requireExactlyOne } from '../../kit/bodies/one-of.ts'
import { data, Email, foreignId, pathInt, Timestamp } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { CommunityMemberId, Id } from '../fields.ts'
import { CommunityParams } from '../manage/communities.ts'
import { vouchedFields } from '../manage/managed-members.ts'

const operation = describeOperations('Member tokens')

const TokenText = z.string().min(1).max(4096)

const tokens = {
	access_token: z.string().meta({ description: 'Member JWT, valid for one hour' }),
	access_token_expires_at: Timestamp,
	refresh_token: z.string().meta({
		description:
			'Valid for one use within 30 days, and at most until 90 days after the exchange of the API key; each refresh returns a new one',
	}),
	refresh_token_expires_at: Timestamp,
	community_member_id: CommunityMemberId,
	community_id: Id,
}

export const createMemberToken = operation({
	id: 'createMemberToken',
	method: 'post',
	path: '/api/v1/headless/auth_token',
	summary: 'Create tokens for a member with an API key',
	description:
		'Call this from a server. Send exactly one of `community_member_id`, `email` and `sso_user_id`. `community_id` is required if the person is a member of several communities of the organization. With `create`, a person whose `sso_user_id` is unknown becomes a managed member first, as with `POST /v1/communities/{communityId}/members`; a known one stays as they are. `create` needs the scope `members:write` or `admin`, too. Each API key may make 600 calls a minute, regardless of tier and IP address.',
	auth: 'headless-auth',
	audit: 'community_member.vouched',
	shield: 'api-key',
	body: requireExactlyOne(
		z
			.object({
				community_member_id: CommunityMemberId.optional(),
				email: Email.optional(),
				sso_user_id: foreignId(255).optional(),
				community_id: Id.optional(),
				create: z
					.object({
						name: vouchedFields.name.unwrap(),
						email: vouchedFields.email,
						avatar_url: vouchedFields.avatarUrl,
						headline: vouchedFields.headline,
						bio: vouchedFields.bio,
						profile_fields: vouchedFields.profileFields,
						access_group_ids: vouchedFields.accessGroupIds,
					})
					.optional()
					.meta({ description: 'The managed member to add if nobody has the `sso_user_id`' }),
			})
			.refine(
				({ create, sso_user_id, community_id }) =>
					create === undefined || (sso_user_id !== undefined && community_id !== undefined),
				{ path: ['create'], message: 'needs sso_user_id and community_id' },
			),
		['community_member_id', 'email', 'sso_user_id'],
	),
	response: z.object(tokens).meta({ id: 'MemberTokens' }),
	errors: ['not_found', 'not_configured'],
})

export const refreshMemberToken = operation({
	id: 'refreshMemberToken',
	method: 'patch',
	path: '/api/v1/headless/access_token/refresh',
	summary: 'Exchange a refresh token for new tokens',
	description:
		'The sent token stops working. If a refresh token is used a second time, two parties have it, so all tokens of this sign-in are revoked.',
	auth: 'public',
	audit: 'none: short-lived token',
	idempotencyKey: { unkept: 'a refresh token works once' },
	shield: 'credentials',
	body: z.object({ refresh_token: TokenText }),
	response: z.object(tokens).meta({ id: 'MemberTokens' }),
	errors: ['unauthorized', 'forbidden', 'org_suspended', 'not_configured'],
})

export const revokeMemberAccessToken = operation({
	id: 'revokeMemberAccessToken',
	sdk: 'memberTokens.revokeAccessToken',
	method: 'post',
	path: '/api/v1/headless/access_token/revoke',
	summary: 'Revoke every access token of this sign-in; the refresh token stays valid',
	description: 'Also succeeds for a token that is unknown, expired or revoked.',
	auth: 'public',
	audit: 'none: short-lived token',
	shield: 'credentials',
	body: z.object({ access_token: TokenText }),
	status: 204,
})

export const revokeMemberRefreshToken = operation({
	id: 'revokeMemberRefreshToken',
	sdk: 'memberTokens.revokeRefreshToken',
	method: 'post',
	path: '/api/v1/headless/refresh_token/revoke',
	summary: 'Revoke every refresh and access token of this sign-in',
	description: 'Also succeeds for a token that is unknown, expired or revoked.',
	auth: 'public',
	audit: 'none: short-lived token',
	shield: 'credentials',
	body: z.object({ refresh_token: TokenText }),
	status: 204,
})

const MemberParams = CommunityParams.extend({ memberId: pathInt })

export const listMemberTokens = operation({
	id: 'listMemberTokens',
	method: 'get',
	path: '/v1/communities/{communityId}/members/{memberId}/tokens',
	summary: 'List the sign-ins of a member by token, newest first',
	description: 'Each exchange of an API key is one sign-in. The tokens themselves are not stored.',
	auth: 'admin',
	params: MemberParams,
	response: data(
		z.array(
			z
				.object({ id: z.string(), createdAt: Timestamp, expiresAt: Timestamp })
				.meta({ id: 'MemberTokenGrant' }),
		),
	),
})

export const revokeMemberTokens = operation({
	id: 'revokeMemberTokens',
	method: 'delete',
	path: '/v1/communities/{communityId}/members/{memberId}/tokens',
	summary: 'Revoke all tokens of a member',
	auth: 'admin',
	openToKeys: 'ends sessions; members sign in again',
	audit: 'community_member.tokens_revoked',
	params: MemberParams,
	response: data(z.object({ memberId: CommunityMemberId, revoked: z.int().nonnegative() })),
})
