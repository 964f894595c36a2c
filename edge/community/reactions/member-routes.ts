import type { ListQuery } from '#schema/contract/community/fields.ts'
import * as contract from '#schema/contract/community/member/post-reactions.ts'
import type { Member } from '../../http/caller.ts'
import { AppError } from '../../http/errors.ts'
import { type Route, serve } from '../../http/route.ts'
import { iso } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { viewerOf } from '../access/viewer.ts'
import { offsetOf, openListOf } from '../lists.ts'
import { deferNotifications } from '../notifications/pending-notification.ts'
import { type ReactionRow, reactionStore, type TargetType } from './store.ts'

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

type TargetInput = { reactable_type?: TargetType | undefined; reactable_id?: number | undefined }

/** Reads the target from the query or the body; both together must name the same one. */
function targetOf(query: TargetInput, body: TargetInput | undefined): { type: TargetType; id: number } {
	const type = query.reactable_type ?? body?.reactable_type
	const id = query.reactable_id ?? body?.reactable_id
	if (type === undefined || id === undefined)
		throw new AppError('validation', 'reactable_type, reactable_id: send both, in the query or in the body')
	if (body && (body.reactable_type !== type || body.reactable_id !== id))
		throw new AppError('validation', 'the query and the body name different targets; send only one')
	return { type, id }
}

export const reactionRoutes: Route[] = [
	serve(contract.react, async ({ deps, caller, body }) => {
		const { reactable_type, reactable_id, reaction } = body
		const viewer = viewerOf(caller, deps)
		const row = await reactionStore(deps.db).put(viewer, reactable_type, reactable_id, reaction)
		if (!row) throw new AppError('not_found', `no such ${reactable_type.toLowerCase()}`)
		const { notifyAt, ...reacted } = row
		if (notifyAt !== null) deferNotifications(deps, 'reaction', [row.id])
		return reacted
	}),

	serve(contract.listPostReactions, async ({ deps, caller, params, query }) =>
		listReactions(deps, caller, 'Post', params.postId, query),
	),

	serve(contract.listCommentReactions, async ({ deps, caller, params, query }) =>
		listReactions(deps, caller, 'Comment', params.commentId, query),
	),

	serve(contract.unreact, async ({ deps, caller, query, body }) => {
		const { type, id } = targetOf(query, body)
		await reactionStore(deps.db).remove(viewerOf(caller, deps), type, id)
		return { success: true as const }
	}),
]
