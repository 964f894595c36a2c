import type { ChainPage } from '#schema/contract/accounts/audit/chain.ts'
import { toIso } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { listFirstHeads, listHeadsUpTo } from './heads.ts'
import { auditStore } from './store.ts'

/** Reads the rows after a position with the seals and heads that prove them. */
export async function readChainPage(deps: Deps, after: number, limit: number): Promise<ChainPage> {
	const store = auditStore(deps.db)
	// The first page starts before every position, so that it includes rows and seals inserted there.
	const from = after === 0 ? null : after
	const first = await listFirstHeads(deps, after)
	const rows = await store.listChain(from, limit)
	const last = rows.at(-1)?.position ?? after
	const isEnd = rows.length < limit
	const { sealWithoutRow, presentActors } = await store.findContradictions(from, isEnd ? null : last)
	return {
		readAt: toIso(deps.now),
		rows,
		heads: await listHeadsUpTo(deps, first, last, isEnd),
		sealWithoutRow,
		// Read after the rows, so that none was erased later.
		erasureRecord: { until: await deps.contributions.readLastErasure(deps), presentActors },
		next: isEnd ? null : last,
	}
}
