import type { CommunityRole, SpacePolicy } from '#schema/contract/community/fields.ts'
import type { CommentPolicies } from '#schema/contract/community/member/post-comments.ts'
import { isOpenTo } from '../access/space-policies.ts'

type Reader = { userId: number; role: CommunityRole }

type CommentState = {
	authorId: number | null
	parentId: number | null
	/** The comment and its post are neither deleted nor hidden. */
	isVisible: boolean
	/** Replies are accepted: the comment or its placeholder is shown, and its post is visible. */
	isOpen: boolean
	commentPolicy: SpacePolicy
}

/** Decides what a member may do with a comment. The conditions of the statements are the same. */
export function decideCommentPolicies({ userId, role }: Reader, comment: CommentState): CommentPolicies {
	const { isVisible } = comment
	const isAuthor = comment.authorId === userId
	const isModerator = role !== 'member'
	return {
		can_edit: isVisible && isAuthor,
		can_delete: isVisible && (isAuthor || isModerator),
		can_reply: comment.isOpen && comment.parentId === null && isOpenTo(role, comment.commentPolicy),
		can_react: isVisible,
		can_report: isVisible,
		can_hide: isVisible && isModerator,
	}
}
