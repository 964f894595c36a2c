import type { EventOf } from '#schema/contract/events.ts'
import type { Deps } from '../../platform/deps.ts'
import { closeStreams } from '../notifications/streams-door.ts'
import { endingStore } from './ending-store.ts'

/** Each step takes thousands of rows of each kind; who has more than a hundred of them is finished by the next try. */
const MAX_STEPS = 50

/**
 * What follows when a member left or was banned, behind the answer: their streams end, what they own alone has an
 * owner again, their places are free. Each does nothing for someone who came back in the meantime.
 */
export async function followEnding(
	deps: Deps,
	{ payload: { communityId, memberId } }: EventOf<'community.member_left' | 'community.member_banned'>,
): Promise<void> {
	const store = endingStore(deps.db)
	await store.handOver(communityId, memberId, deps.now)
	await store.releasePlaces(memberId, deps.now)
	await closeStreams(deps, communityId, memberId)
}

export async function followRemoval(
	deps: Deps,
	{ payload: { communityId, memberId, removedAt } }: EventOf<'community.member_removed'>,
): Promise<void> {
	const store = endingStore(deps.db)
	await store.handOver(communityId, memberId, deps.now)
	await closeStreams(deps, communityId, memberId)
	for (let step = 0; step < MAX_STEPS; step++) if (await store.remove(memberId, removedAt, deps.now)) return
	throw new Error('a member has more than one message can remove')
}
