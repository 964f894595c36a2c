import type { RemoveCommunity } from '#schema/contract/messages.ts'
import type { Deps } from '../../platform/deps.ts'
import { handOverPurges } from '../../platform/storage-purge.ts'
import { removalStore } from './removal-store.ts'

/** Steps of one message: D1 takes 1,000 queries of an invocation, and a step has up to eleven. */
const MAX_STEPS = 80

/** To the queue with the communities that are gone and not yet cleared away. */
export async function handOverRemovals(deps: Deps): Promise<void> {
	for (const communityId of await removalStore(deps.db).claimDue(deps.now))
		await deps.send({ type: 'community.remove', communityId })
}

/** Clears away what hung on a community, step by step. A second delivery finds less, or nothing. */
export async function removeCommunityRows(deps: Deps, { communityId }: RemoveCommunity): Promise<void> {
	const store = removalStore(deps.db)
	if (!(await store.isDue(communityId))) return
	let steps = 0
	for (const part of store.parts)
		while (await store.removeSome(part, communityId))
			if (++steps >= MAX_STEPS) return deps.send({ type: 'community.remove', communityId })
	await store.finish(communityId, deps.now)
	deps.defer(handOverPurges(deps))
	deps.log.info('community removed', { communityId, steps })
}
