import type { ChainHead, ChainPage, ChainRow } from '#schema/contract/accounts/audit/chain.ts'
import type { ChainItem } from './verify-chain.ts'

export function* orderPageItems({
	readAt,
	rows,
	heads,
	sealWithoutRow,
	erasureRecord,
}: ChainPage): Generator<ChainItem> {
	yield { readAt: Date.parse(readAt) }
	if (erasureRecord) yield { erasures: erasureRecord }
	yield* merged(rows, heads)
	if (sealWithoutRow !== null) yield { sealWithoutRow }
}

/** Orders rows and heads by position, each head after its row. */
function* merged(rows: readonly ChainRow[], heads: readonly ChainHead[]): Generator<ChainItem> {
	let next = 0
	for (const row of rows) {
		for (let head = heads[next]; head && head.position < row.position; head = heads[++next]) yield { head }
		yield { row }
	}
	for (const head of heads.slice(next)) yield { head }
}
