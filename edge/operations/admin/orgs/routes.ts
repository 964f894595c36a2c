import * as contract from '#schema/contract/operations/admin/orgs.ts'
import { getUsage } from '../../../accounts/orgs/usage/usage.ts'
import { buildPage, decodeCursor } from '../../../http/page.ts'
import { type Route, serve } from '../../../http/route.ts'
import { toUtcMonth } from '../../../platform/clock.ts'
import { viewAssets } from '../../../video/assets/view-assets.ts'
import { changeTier, getAnyOrg } from './orgs.ts'
import { adminOrgStore } from './store.ts'
import { viewOrg } from './view.ts'

export const adminOrgRoutes: Route[] = [
	serve(contract.listAllOrgs, async ({ deps, query, request, headers }) => {
		const { now, db } = deps
		const times = { month: toUtcMonth(now), now }
		const rows = await adminOrgStore(db).list(query, query.limit, decodeCursor(query), times)
		const page = buildPage(rows, query, ({ org }) => [org.createdAt, org.id], request, headers)
		return { data: page.map((row) => viewOrg(row, now)) }
	}),

	serve(contract.getAnyOrg, async ({ deps, params: { orgId } }) => {
		const row = await getAnyOrg(deps, orgId)
		const [owners, usage] = await Promise.all([
			adminOrgStore(deps.db).listOwners(orgId),
			getUsage(deps, orgId),
		])
		return { data: { ...viewOrg(row, deps.now), owners, usage } }
	}),

	serve(contract.listAssetsOfOrg, async ({ deps, params: { orgId }, query, request, headers }) => {
		await getAnyOrg(deps, orgId)
		const store = adminOrgStore(deps.db)
		const rows = await store.listAssets(orgId, query.status, query.limit, decodeCursor(query))
		const page = buildPage(rows, query, (row) => [row.createdAt, row.id], request, headers)
		return { data: await viewAssets(deps, request, page) }
	}),

	serve(contract.updateOrgTier, async ({ deps, params, body }) => ({
		data: viewOrg(await changeTier(deps, params.orgId, body), deps.now),
	})),
]
