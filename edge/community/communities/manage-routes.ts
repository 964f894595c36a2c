import * as contract from '#schema/contract/community/manage/communities.ts'
import { setEntityTag, updateMatching } from '../../http/entity-tag.ts'
import { buildPage, decodeCursor } from '../../http/page.ts'
import { type Route, serve } from '../../http/route.ts'
import { toIso } from '../../platform/clock.ts'
import { createCommunity, deleteCommunity, requireCommunity, updateCommunity } from './communities.ts'
import { type CommunityRow, communityStore, pickEditableColumns } from './store.ts'

const viewCommunity = (row: CommunityRow): contract.Community => ({
	id: row.id,
	orgId: row.orgId,
	name: row.name,
	slug: row.slug,
	customDomain: row.customDomain,
	reactions: row.reactions,
	createdAt: toIso(row.createdAt),
	updatedAt: toIso(row.updatedAt),
})

export const communityManagementRoutes: Route[] = [
	serve(contract.listCommunities, async ({ deps, caller, query, request, headers }) => {
		const rows = await communityStore(deps.db).list(caller.org.id, query.limit, decodeCursor(query))
		const page = buildPage(rows, query, (row) => [row.createdAt, row.id], request, headers)
		return { data: page.map(viewCommunity) }
	}),

	serve(contract.createCommunity, async ({ deps, caller, body }) => ({
		data: viewCommunity(await createCommunity(deps, caller, body)),
	})),

	serve(contract.getCommunity, async ({ deps, caller, params, headers }) => {
		const row = await requireCommunity(deps, caller, params.communityId)
		await setEntityTag(headers, pickEditableColumns(row))
		return { data: viewCommunity(row) }
	}),

	serve(contract.updateCommunity, async ({ deps, caller, params, body, request, headers }) => {
		const { communityId: id } = params
		const row = await updateMatching(
			contract.updateCommunity,
			{ request, headers },
			{
				read: () => requireCommunity(deps, caller, id),
				toState: pickEditableColumns,
				update: (before) => updateCommunity(deps, caller, id, body, before),
			},
		)
		return { data: viewCommunity(row) }
	}),

	serve(contract.deleteCommunity, async ({ deps, caller, params: { communityId: id } }) => {
		await deleteCommunity(deps, caller, id)
		return { data: { id, deleted: true as const } }
	}),
]
