import { isOwnReaction, LIKE, toShownReaction } from '#schema/contract/community/reaction.ts'
import { AppError, notFoundError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { deferNotifications } from '../notifications/pending-notification.ts'
import { announceReactions } from '../streams/announce.ts'
import { type Counted, type TargetType, viewCounts } from './counts.ts'
import { type ReactionRow, reactionStore } from './store.ts'

export type Target = { type: TargetType; id: number }

const targetNotFoundError = (type: TargetType) => notFoundError(type.toLowerCase())

const unknownReactionError = () =>
	new AppError('validation', 'reaction: is unknown in this community; send an emoji, like, or one of its set')

/** Sets the only reaction of the member to a target. */
export async function addReaction(deps: Deps, viewer: Viewer, { type, id }: Target, emoji: string) {
	const store = reactionStore(deps.db)
	const row = await store.put(viewer, type, id, emoji)
	if (!row && isOwnReaction(emoji) && (await store.isVisible(viewer, type, id))) throw unknownReactionError()
	if (!row) throw targetNotFoundError(type)
	const { notifyAt, counted, ...reacted } = row
	announceCounts(deps, viewer, { type, id }, counted)
	if (notifyAt !== null) deferNotifications(deps, 'reaction', [row.id])
	return reacted
}

/** Removes the member's reaction, even from a target that is no longer visible. */
export async function removeReaction(deps: Deps, viewer: Viewer, target: Target): Promise<void> {
	const counted = await reactionStore(deps.db).remove(viewer, target.type, target.id)
	announceCounts(deps, viewer, target, counted)
}

function announceCounts(deps: Deps, viewer: Viewer, target: Target, counted: Counted | undefined): void {
	if (!counted) return
	const { reactions, ...place } = counted
	const counts = viewCounts(JSON.parse(reactions))
	announceReactions(deps, viewer.communityId, { ...place, target, reactions: counts })
}

/** Removes the member's reaction if it is shown as a like. Throws 404 for a target that is not visible. */
export async function removeLike(deps: Deps, viewer: Viewer, target: Target): Promise<void> {
	const stored = await requireStoredLikes(deps, viewer, target)
	announceCounts(
		deps,
		viewer,
		target,
		await reactionStore(deps.db).remove(viewer, target.type, target.id, stored),
	)
}

type ListTarget = { type: 'Post' | 'Comment'; id: number }

export async function listReactions(
	{ db }: Deps,
	viewer: Viewer,
	target: ListTarget,
	limit: number,
	offset: number,
): Promise<ReactionRow[]> {
	const store = reactionStore(db)
	if (!(await store.isVisible(viewer, target.type, target.id))) throw targetNotFoundError(target.type)
	return store.list(viewer, target, limit, offset)
}

/** Lists the reactions that are shown as likes. */
export async function listLikes(
	deps: Deps,
	viewer: Viewer,
	target: ListTarget,
	limit: number,
	offset: number,
): Promise<ReactionRow[]> {
	const only = await requireStoredLikes(deps, viewer, target)
	return reactionStore(deps.db).list(viewer, { ...target, only }, limit, offset)
}

/**
 * Returns the stored reactions that are shown as likes, such as a name that was removed from the community's set. Always
 * contains `like`, which a concurrent request may store.
 */
async function requireStoredLikes({ db }: Deps, viewer: Viewer, { type, id }: Target): Promise<string[]> {
	const counted = await reactionStore(db).listCounted(viewer, type, id)
	if (!counted) throw targetNotFoundError(type)
	const likes = counted.filter(([, shown]) => toShownReaction(shown) === LIKE).map(([stored]) => stored)
	return [LIKE, ...likes]
}
