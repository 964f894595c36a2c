import { z } from 'zod'
import { data, Email, foreignId, Line, PersonName, WebUrl } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { CommunityMemberId, Id } from '../fields.ts'
import { ProfileValues } from '../member/members.ts'
import { CommunityParams } from './communities.ts'

const operation = describeOperations('Community management')

const unproved = 'An address that nobody proved: nothing is sent to it, and nobody signs in with it'

/** What an organization says about a person whom it vouches for. Fields that are left out stay as they are. */
export const vouchedFields = {
	name: PersonName.optional(),
	email: Email.nullable().optional().meta({ description: unproved }),
	avatarUrl: WebUrl.nullable().optional(),
	headline: Line.max(200).nullable().optional(),
	bio: z.string().trim().max(2000).nullable().optional(),
	profileFields: ProfileValues.optional(),
	accessGroupIds: z
		.array(Id)
		.max(100)
		.optional()
		.meta({ description: 'Access groups to add the member to, without expiry' }),
}

const VouchedMember = z.object({ ssoUserId: foreignId(255), ...vouchedFields }).meta({ id: 'VouchedMember' })
export type VouchedMember = z.infer<typeof VouchedMember>

const hasNoRepeatedIds = (members: readonly VouchedMember[]) =>
	new Set(members.map(({ ssoUserId }) => ssoUserId)).size === members.length

export const addCommunityMembers = operation({
	id: 'addCommunityMembers',
	sdk: 'communities.members.addMany',
	method: 'post',
	path: '/v1/communities/{communityId}/members/batch',
	summary: 'Add or update up to 1,000 managed members',
	description:
		'Does for each member what `POST /v1/communities/{communityId}/members` with `status: "active"` does, with the role `member`. Results are in the order of the members. One that is refused leaves the others alone; `error` says why. Repeat the call as often as you like: what is already so stays. A very large body is stored in several transactions, so after an error, repeat the whole call.',
	auth: 'admin',
	keyScope: 'members:write',
	openToKeys: 'adds members without power',
	audit: 'community_member.vouched',
	idempotencyKey: { needless: 'a member with the same `ssoUserId` is updated, not added again' },
	params: CommunityParams,
	body: z.object({
		members: z
			.array(VouchedMember)
			.min(1)
			.max(1_000)
			.refine(hasNoRepeatedIds, 'must not contain the same ssoUserId twice'),
	}),
	response: data(
		z.array(
			z
				.object({
					ssoUserId: z.string(),
					memberId: CommunityMemberId.nullable().meta({
						description: 'The membership id; null if there is none',
					}),
					status: z.enum(['created', 'updated', 'refused']),
					error: z.string().optional(),
				})
				.meta({ id: 'VouchedMemberResult' }),
		),
	),
	errors: ['not_found'],
})
