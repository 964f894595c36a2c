import * as contract from '#schema/contract/community/manage/points.ts'
import { buildPage } from '../../http/page.ts'
import { type Route, serve } from '../../http/route.ts'
import { toIso } from '../../platform/clock.ts'
import { awardPoints, findBalance, listPoints } from './points.ts'
import type { PointRow } from './store.ts'

const viewTransaction = (row: PointRow): contract.PointTransaction => ({
	...row,
	createdAt: toIso(row.createdAt),
})

export const pointRoutes: Route[] = [
	serve(contract.awardPoints, async ({ deps, caller, params, body }) => ({
		data: viewTransaction(await awardPoints(deps, caller, params.communityId, body)),
	})),

	serve(contract.listPoints, async ({ deps, caller, params, query, request, headers }) => {
		const rows = await listPoints(deps, caller, params.communityId, query)
		const page = buildPage(rows, query, (row) => [row.createdAt, row.id], request, headers)
		return { data: page.map(viewTransaction) }
	}),

	serve(contract.getMemberPoints, async ({ deps, caller, params }) => {
		const balance = await findBalance(deps, caller, params)
		return { data: { memberId: params.memberId, balance } }
	}),
]
