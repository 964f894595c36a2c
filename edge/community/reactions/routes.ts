import type { ListQuery } from '#schema/contract/community/fields.ts'
import * as contract from '#schema/contract/community/post-reactions.ts'
import type { Member } from '../../http/caller.ts'
import { AppError } from '../../http/errors.ts'
import { type Route, serve } from '../../http/route.ts'
import { iso } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { viewerOf } from '../access/viewer.ts'
import { offsetOf, openListOf } from '../lists.ts'
import { announce } from '../notifications/news.ts'
import { type ReactionRow, reactionStore } from './store.ts'

const viewReaction = (row: ReactionRow): contract.MemberReaction => ({
	id: row.id,
	reaction: row.emoji,
	created_at: iso(row.createdAt),
	community_member_id: row.membershipId,
	name: row.name,
	avatar_url: row.avatarUrl,
})

async function listReactions(
	deps: Deps,
	caller: Member,
	type: 'Post' | 'Comment',
	id: number,
	query: ListQuery,
) {
	const store = reactionStore(deps.db)
	if (!(await store.isVisible(viewerOf(caller, deps), type, id)))
		throw new AppError('not_found', `no such ${type.toLowerCase()}`)
	const rows = await store.list(type, id, query.per_page + 1, offsetOf(query))
	return openListOf(rows.map(viewReaction), query)
}

export const reactionRoutes: Route[] = [
	serve(contract.react, async ({ deps, caller, body }) => {
		const { reactable_type, reactable_id, reaction } = body
		const viewer = viewerOf(caller, deps)
		const row = await reactionStore(deps.db).put(viewer, reactable_type, reactable_id, reaction)
		if (!row) throw new AppError('not_found', `no such ${reactable_type.toLowerCase()}`)
		const { tellAt, ...reacted } = row
		if (tellAt !== null) announce(deps, 'reaction', [row.id])
		return reacted
	}),

	serve(contract.listPostReactions, async ({ deps, caller, params, query }) =>
		listReactions(deps, caller, 'Post', params.postId, query),
	),

	serve(contract.listCommentReactions, async ({ deps, caller, params, query }) =>
		listReactions(deps, caller, 'Comment', params.commentId, query),
	),

	serve(contract.unreact, async ({ deps, caller, body }) => {
		await reactionStore(deps.db).remove(viewerOf(caller, deps), body.reactable_type, body.reactable_id)
		return { success: true as const }
	}),
]
