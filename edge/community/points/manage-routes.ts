import * as contract from '#schema/contract/community/manage/points.ts'
import { pageOf, positionOf } from '../../http/page.ts'
import { type Route, serve } from '../../http/route.ts'
import { iso } from '../../platform/clock.ts'
import { requireCommunity } from '../communities/communities.ts'
import { memberNotFoundError } from '../not-found.ts'
import { type PointRow, pointStore } from './store.ts'

const viewTransaction = (row: PointRow): contract.PointTransaction => ({
	...row,
	createdAt: iso(row.createdAt),
})

export const pointRoutes: Route[] = [
	serve(contract.awardPoints, async ({ deps, caller, params, body }) => {
		const awardedBy = caller.kind === 'person' ? caller.userId : null
		const row = await pointStore(deps.db).insert(caller.org.id, params.communityId, body, awardedBy, deps.now)
		if (!row) throw memberNotFoundError()
		return { data: viewTransaction(row) }
	}),

	serve(contract.listPoints, async ({ deps, caller, params, query, request, headers }) => {
		const { id } = await requireCommunity(deps, caller, params.communityId)
		const rows = await pointStore(deps.db).list(id, query.limit, positionOf(query))
		const page = pageOf(rows, query, (row) => [row.createdAt, row.id], request, headers)
		return { data: page.map(viewTransaction) }
	}),

	serve(contract.getMemberPoints, async ({ deps, caller, params: { communityId, memberId } }) => {
		const balance = await pointStore(deps.db).findBalance(caller.org.id, communityId, memberId)
		if (balance === undefined) throw memberNotFoundError()
		return { data: { memberId, balance } }
	}),
]
