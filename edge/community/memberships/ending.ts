import type { EventOf } from '#schema/contract/events.ts'
import type { Deps } from '../../platform/deps.ts'
import { closeStreams } from '../notifications/streams-door.ts'
import { endingStore } from './ending-store.ts'

/** Each step takes thousands of rows of each kind; who has more than a hundred of them is finished by the next try. */
const MAX_STEPS = 50

/**
 * What follows behind the answer when a membership is made inactive: its streams end, and what the member owned alone
 * has an owner again. All that is theirs stays, so that it can be taken back.
 */
export async function followLeaving(
	deps: Deps,
	{ payload: { communityId, memberId } }: EventOf<'community.member_left' | 'community.member_banned'>,
): Promise<void> {
	await endingStore(deps.db).handOver(communityId, memberId, deps.now)
	await closeStreams(deps, communityId, memberId)
}

/** Whoever is banned does not come to events either; nothing is done to someone who is back in the meantime. */
export async function followBan(deps: Deps, event: EventOf<'community.member_banned'>): Promise<void> {
	await followLeaving(deps, event)
	await endingStore(deps.db).releasePlaces(event.payload.memberId, deps.now)
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
