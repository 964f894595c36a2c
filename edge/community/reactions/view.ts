import type { MemberReaction } from '#schema/contract/community/member/post-reactions.ts'
import { toShownReaction } from '#schema/contract/community/reaction.ts'
import { toIso } from '../../platform/clock.ts'
import type { ReactionRow } from './store.ts'

export const viewReaction = (row: ReactionRow): MemberReaction => ({
	id: row.id,
	reaction: toShownReaction(row.emoji),
	created_at: toIso(row.createdAt),
	community_member_id: row.membershipId,
	name: row.name,
	avatar_url: row.avatarUrl,
})
