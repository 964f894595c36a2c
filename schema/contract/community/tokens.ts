import { z } from 'zod'
import { data, Email, pathInt, Timestamp } from '../fields.ts'
import { operation } from '../operation.ts'
import { CommunityParams } from './communities.ts'
import { Id } from './fields.ts'

const tag = 'Member tokens'

const TokenText = z.string().min(1).max(4096)

const access = {
	access_token: z.string().meta({ description: 'Member JWT, valid for an hour' }),
	access_token_expires_at: Timestamp,
	refresh_token: z.string().meta({
		description:
			'Valid for 30 days and for one use, which gives the next one; none outlives the 90th day after the exchange',
	}),
	refresh_token_expires_at: Timestamp,
	community_member_id: Id,
	community_id: Id,
}

export const createMemberToken = operation({
	id: 'createMemberToken',
	method: 'post',
	path: '/api/v1/headless/auth_token',
	tag,
	summary: 'Exchange an API key and the name of a member for tokens of that member',
	description:
		'Call it from a server. Takes exactly one of `community_member_id`, `email` and `sso_user_id`; `community_id` is needed when the organization has several communities in which the person is a member.',
	auth: 'headless-auth',
	shield: 'credentials',
	body: z
		.object({
			community_member_id: Id.optional(),
			email: Email.optional(),
			sso_user_id: z.string().min(1).max(255).optional(),
			community_id: Id.optional(),
		})
		.refine(
			(body) =>
				[body.community_member_id, body.email, body.sso_user_id].filter((one) => one !== undefined).length ===
				1,
			'give exactly one of community_member_id, email and sso_user_id',
		),
	status: 200,
	response: z.object(access).meta({ id: 'MemberTokens' }),
	errors: ['not_found', 'not_configured'],
})

export const refreshMemberToken = operation({
	id: 'refreshMemberToken',
	method: 'patch',
	path: '/api/v1/headless/access_token/refresh',
	tag,
	summary: 'Exchange a refresh token for fresh tokens',
	description:
		'The token given stops working. Showing any one that was used before, however old, ends all tokens of the same exchange, since two parties hold it.',
	auth: 'public',
	shield: 'credentials',
	body: z.object({ refresh_token: TokenText }),
	status: 200,
	response: z.object(access).meta({ id: 'MemberTokens' }),
	errors: ['unauthorized', 'forbidden', 'not_configured'],
})

export const revokeMemberAccessToken = operation({
	id: 'revokeMemberAccessToken',
	method: 'post',
	path: '/api/v1/headless/access_token/revoke',
	tag,
	summary: 'Make an access token worthless, with all others of the same sign-in; its refresh token lives on',
	description: 'Answers the same for a token that is unknown or has ended already.',
	auth: 'public',
	shield: 'credentials',
	body: z.object({ access_token: TokenText }),
	status: 204,
})

export const revokeMemberRefreshToken = operation({
	id: 'revokeMemberRefreshToken',
	method: 'post',
	path: '/api/v1/headless/refresh_token/revoke',
	tag,
	summary: 'Sign a member out: every refresh and access token of the same exchange ends',
	description: 'Answers the same for a token that is unknown or has ended already.',
	auth: 'public',
	shield: 'credentials',
	body: z.object({ refresh_token: TokenText }),
	status: 204,
})

const ofMember = CommunityParams.extend({ memberId: pathInt })

export const listMemberTokens = operation({
	id: 'listMemberTokens',
	method: 'get',
	path: '/v1/communities/{communityId}/members/{memberId}/tokens',
	tag,
	summary: 'Where a member is signed in by tokens, the newest first',
	description: 'One for each exchange of an API key; the tokens themselves are kept nowhere.',
	auth: 'admin',
	params: ofMember,
	status: 200,
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
	tag,
	summary: 'End all tokens of a member at once',
	auth: 'admin',
	params: ofMember,
	status: 200,
	response: data(z.object({ memberId: Id, revoked: z.int().nonnegative() })),
})
