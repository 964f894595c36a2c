import type { EventByType } from '#schema/contract/events.ts'
import type { Deps } from '../../platform/deps.ts'
import { closeStreams } from '../notifications/notification-streams.ts'
import { endingStore } from './ending-store.ts'

/** Steps per message. Each deletes up to 2,000 rows of each kind; a retry of the message continues after the last step. */
const MAX_STEPS = 50

/**
 * Completes the end of a membership that was left, deactivated or banned: transfers ownership and closes the streams.
 * The request has already freed event places. Other rows are kept, because the membership can be restored.
 */
export async function endDepartedMembership(
	deps: Deps,
	{ payload: { communityId, memberId } }: EventByType<'member.left'>,
): Promise<void> {
	await endingStore(deps.db).transferOwnership(communityId, memberId, deps.now)
	await closeStreams(deps, communityId, memberId)
}

/** Deletes the remaining rows of a removed member. The request has already deleted the membership itself. */
export async function endRemovedMembership(
	deps: Deps,
	{ payload }: EventByType<'member.deleted'>,
): Promise<void> {
	const store = endingStore(deps.db)
	await closeStreams(deps, payload.communityId, payload.memberId)
	for (let step = 0; step < MAX_STEPS; step++) if (await store.clear(payload, deps.now)) return
	throw new Error('the member has more rows than one message can delete')
}
