import type { CommunityRole, SpacePolicy } from '#schema/contract/community/fields.ts'
import type { MemberSpace } from '#schema/contract/community/member/spaces.ts'
import { AppError } from '../../http/errors.ts'
import { isOpenTo } from '../access/space-policies.ts'

/** Decides what a member may do in a visible space. The SQL conditions of `space-policies.ts` decide the same. */
export function decideSpacePolicies(
	role: CommunityRole,
	{ postPolicy, commentPolicy }: { postPolicy: SpacePolicy; commentPolicy: SpacePolicy },
): MemberSpace['policies'] {
	const canPost = isOpenTo(role, postPolicy)
	return {
		can_create_post: canPost,
		can_create_event: canPost && role !== 'member',
		can_create_comment: isOpenTo(role, commentPolicy),
	}
}

const writers: Record<SpacePolicy, string> = {
	everyone: 'every member',
	moderators: 'only moderators, admins and owners',
	admins: 'only admins and owners',
	nobody: 'nobody',
}

/** Returns the error for a member who may not write under the policy of a space. */
export const spacePolicyError = (activity: 'post' | 'comment', policy: SpacePolicy) =>
	new AppError('forbidden', `${writers[policy]} may ${activity} in this space; choose another space`)
