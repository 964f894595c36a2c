import type { IndexContent } from '#schema/contract/messages.ts'
import type { Deps } from '../../platform/deps.ts'
import { indexStore, type Searched } from './index-store.ts'

/** Hands it to the queue behind the answer. That it is to be done stands on its row, so a lost message is sent again. */
export function indexBehind(deps: Pick<Deps, 'defer' | 'send'>, of: Searched, id: number): void {
	deps.defer(deps.send({ type: 'community.index', of, id }))
}

/** Lets search know a post or a member as they are now. A second delivery finds that it is done. */
export async function indexContent({ db, now }: Deps, { of, id }: IndexContent): Promise<void> {
	const store = indexStore(db)
	const row = await store.findUnindexed(of, id)
	if (row) await store.write(of, id, row, now)
}

export async function handOverUnindexed(deps: Deps): Promise<void> {
	for (const of of ['post', 'member'] as const)
		for (const id of await indexStore(deps.db).claimDue(of, deps.now)) indexBehind(deps, of, id)
}
