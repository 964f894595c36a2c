import type { MemberReaction } from '#schema/contract/community/member/post-reactions.ts'
import { LIKE, toShownReaction } from '#schema/contract/community/reaction.ts'
import { toIso } from '../../platform/clock.ts'
import { viewCounts } from './counts.ts'
import type { ReactionRow } from './store.ts'

export const viewReaction = (row: ReactionRow): MemberReaction => ({
	id: row.id,
	reaction: toShownReaction(row.emoji),
	created_at: toIso(row.createdAt),
	community_member_id: row.membershipId,
	name: row.name,
	avatar_url: row.avatarUrl,
})

/** Reads the counts of a target as JSON, and the reaction of the caller to it. */
export function viewReactionFields(counts: string, mine: string | null) {
	const reactions = viewCounts(JSON.parse(counts))
	const my_reaction = mine === null ? null : toShownReaction(mine)
	return { reactions, my_reaction, is_liked: my_reaction === LIKE, user_likes_count: reactions[LIKE] ?? 0 }
}
