import type { CommunityRole, SpacePolicy } from '#schema/contract/community/fields.ts'
import type { PostPolicies } from '#schema/contract/community/member/posts.ts'
import { isOpenTo } from '../access/space-policies.ts'

/** Decides what a member may do with a post. The conditions of the statements are the same. */
export function decidePostPolicies(
	{ userId, role }: { userId: number; role: CommunityRole },
	post: { authorId: number | null; hiddenAt: number | null; commentPolicy: SpacePolicy },
): PostPolicies {
	const isVisible = post.hiddenAt === null
	const isAuthor = post.authorId === userId
	const isModerator = role !== 'member'
	return {
		can_edit: isVisible && isAuthor,
		can_delete: isVisible && (isAuthor || isModerator),
		can_comment: isVisible && isOpenTo(role, post.commentPolicy),
		can_react: isVisible,
		can_report: isVisible,
		can_hide: isVisible && isModerator,
	}
}
