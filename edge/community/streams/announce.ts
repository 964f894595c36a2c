import type { Deps } from '../../platform/deps.ts'
import { publishEvents } from '../../platform/live-streams/live-streams-stub.ts'
import type { StreamEvent } from '../../platform/live-streams/stream-event.ts'
import { nameCommunityStreams } from '../notifications/notification-streams.ts'

export type Change = 'created' | 'updated' | 'removed' | 'restored'
/** The space and the post of a change. Listeners of either topic receive it. */
export type Place = { spaceId: number; postId: number }
type Announcing = Pick<Deps, 'defer' | 'env' | 'log'>

const topicsOf = ({ spaceId, postId }: Place) => [`space:${spaceId}`, `post:${postId}`]
const idsOf = ({ spaceId, postId }: Place) => ({ space_id: spaceId, post_id: postId })

const announce = (deps: Announcing, communityId: number, event: StreamEvent): void =>
	deps.defer(publishEvents(deps, nameCommunityStreams(communityId), [event]))

export const announcePost = (deps: Announcing, communityId: number, change: Change, place: Place): void =>
	announce(deps, communityId, { topics: topicsOf(place), type: `post.${change}`, data: idsOf(place) })

export const announceComment = (
	deps: Announcing,
	communityId: number,
	change: Change,
	{ id, parentId, ...place }: Place & { id: number; parentId: number | null },
): void =>
	announce(deps, communityId, {
		topics: topicsOf(place),
		type: `comment.${change}`,
		data: { ...idsOf(place), comment_id: id, parent_comment_id: parentId },
	})

/** Announces the counts of a post, comment or image; of frequent ones the newest each second. */
export const announceReactions = (
	deps: Announcing,
	communityId: number,
	{ target, reactions, ...place }: Place & { target: { type: string; id: number }; reactions: unknown },
): void =>
	announce(deps, communityId, {
		topics: topicsOf(place),
		type: 'reactions',
		data: { ...idsOf(place), reactable_type: target.type, reactable_id: target.id, reactions },
		coalesce: `${target.type}:${target.id}`,
	})
