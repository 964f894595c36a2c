import type { RemoveCommunity } from '#schema/contract/messages.ts'
import type { Deps } from '../../platform/deps.ts'
import { queuePurges } from '../../platform/storage/storage-purge.ts'
import { removalStore } from './removal-store.ts'

/** Steps per message. D1 allows 1,000 queries per invocation, and a step runs up to eleven. */
const MAX_STEPS = 80

/** Deletes the rows of a deleted community in steps. A repeated message finds fewer rows, or none. */
export async function removeCommunityRows(deps: Deps, { communityId }: RemoveCommunity): Promise<void> {
	const store = removalStore(deps.db)
	if (!(await store.isDue(communityId))) return
	let steps = 0
	for (const part of store.parts)
		while (await store.removeBatch(part, communityId, deps.now))
			if (++steps >= MAX_STEPS) return deps.send({ type: 'community.remove', communityId })
	await store.finish(communityId, deps.now)
	deps.defer(queuePurges(deps))
	deps.log.info('community removed', { communityId, steps })
}
