import { z } from 'zod'
import { data, pathInt } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { CommunityMemberId, Id } from '../fields.ts'

const operation = describeOperations('Community: invitations')

export const ManagedMembership = z
	.object({
		memberId: CommunityMemberId,
		ssoUserId: z.string().nullable(),
		communityId: Id,
		communityName: z.string(),
		orgName: z.string(),
	})
	.meta({ id: 'ManagedMembership' })
export type ManagedMembership = z.infer<typeof ManagedMembership>

export const listManagedMemberships = operation({
	id: 'listManagedMemberships',
	method: 'get',
	path: '/v1/auth/managed-memberships',
	summary: 'List managed memberships with your verified address',
	description:
		'Organizations added these members with your address, without an account. You may take each of them over.',
	auth: 'session',
	response: data(z.array(ManagedMembership)),
	errors: ['email_unverified'],
})

export const mergeManagedMembership = operation({
	id: 'mergeManagedMembership',
	method: 'post',
	path: '/v1/auth/managed-memberships/{memberId}/merge',
	summary: 'Take a managed membership with your verified address over',
	description:
		'The membership becomes yours, with its role, profile, access groups, posts, comments, bookmarks, follows and points. Its tokens end. The organization still signs you in to this community with the `ssoUserId` that the list shows: whoever signs in there with that id acts as you in this community, and nowhere else. It gets the event `member.merged`. This can’t be undone. Returns 409 if you are a member of the community already.',
	auth: 'session',
	audit: 'community_member.merged',
	recentProof: true,
	idempotencyKey: { needless: 'a membership can be taken over once' },
	params: z.object({ memberId: pathInt }),
	response: data(z.object({ id: Id, name: z.string(), slug: z.string(), memberId: CommunityMemberId })),
	errors: ['not_found', 'conflict', 'email_unverified'],
})
