import type { PageQuery } from '#schema/contract/kit/page.ts'
import type { OrgCaller } from '../../http/caller.ts'
import { decodeCursor } from '../../http/page.ts'
import type { Deps } from '../../platform/deps.ts'
import { requireCommunity } from '../communities/communities.ts'
import { memberNotFoundError } from '../not-found.ts'
import { type PointAward, type PointRow, pointStore } from './store.ts'

export async function awardPoints(
	{ db, now }: Deps,
	caller: OrgCaller,
	communityId: number,
	award: PointAward,
): Promise<PointRow> {
	const awardedBy = caller.kind === 'person' ? caller.userId : null
	const row = await pointStore(db).insert(caller.org.id, communityId, award, awardedBy, now)
	if (!row) throw memberNotFoundError()
	return row
}

export async function listPoints(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
	query: PageQuery,
): Promise<PointRow[]> {
	const { id } = await requireCommunity(deps, caller, communityId)
	return pointStore(deps.db).list(id, query.limit, decodeCursor(query))
}

export async function findBalance(
	{ db }: Deps,
	caller: OrgCaller,
	{ communityId, memberId }: { communityId: number; memberId: number },
): Promise<number> {
	const balance = await pointStore(db).findBalance(caller.org.id, communityId, memberId)
	if (balance === undefined) throw memberNotFoundError()
	return balance
}
