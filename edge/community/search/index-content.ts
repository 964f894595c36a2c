import type { IndexContent } from '#schema/contract/messages.ts'
import type { Deps } from '../../platform/deps.ts'
import { indexStore, type SearchSubject } from './index-store.ts'

/** Sends an indexing message after the response. `index_at` of the row makes the sweep resend a lost message. */
export function deferIndexing(deps: Pick<Deps, 'defer' | 'send'>, of: SearchSubject, id: number): void {
	deps.defer(deps.send({ type: 'community.index', of, id }))
}

/** Updates the search index for a post or a member. A repeated message finds nothing to do. */
export async function indexContent({ db, work }: Deps, { of, id }: IndexContent): Promise<void> {
	const store = indexStore(db)
	const row = await store.findUnindexed(of, id)
	if (row) await store.write(work, of, id, row)
}
