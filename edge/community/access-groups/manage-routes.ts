import * as contract from '#schema/contract/community/manage/access-groups.ts'
import type { OrgCaller } from '../../http/caller.ts'
import { AppError } from '../../http/errors.ts'
import { omitUndefined } from '../../http/omit-undefined.ts'
import { pageOf, positionOf } from '../../http/page.ts'
import { type Route, serve } from '../../http/route.ts'
import { iso, isoOrNull } from '../../platform/clock.ts'
import { requireCommunity } from '../communities/communities.ts'
import { type AccessGroupRow, accessGroupStore, type GroupRef } from './store.ts'

const viewGroup = ({ communityId: _, ...row }: AccessGroupRow) => ({ ...row, createdAt: iso(row.createdAt) })

const groupRef = (caller: OrgCaller, params: { communityId: number; accessGroupId: number }): GroupRef => ({
	orgId: caller.org.id,
	communityId: params.communityId,
	accessGroupId: params.accessGroupId,
})

function requireFound(isFound: boolean, what: string): void {
	if (!isFound) throw new AppError('not_found', `no such ${what}`)
}

export const accessGroupRoutes: Route[] = [
	serve(contract.listAccessGroups, async ({ deps, caller, params, query, request, headers }) => {
		const { id } = await requireCommunity(deps, caller, params.communityId)
		const rows = await accessGroupStore(deps.db).list(id, query.limit, positionOf(query))
		const page = pageOf(rows, query, (row) => [row.createdAt, row.id], request, headers)
		return { data: page.map(viewGroup) }
	}),

	serve(contract.createAccessGroup, async ({ deps, caller, params, body }) => {
		const { id: communityId } = await requireCommunity(deps, caller, params.communityId)
		const row = { ...body, communityId, status: 'active' as const, createdAt: deps.now }
		return { data: viewGroup(await accessGroupStore(deps.db).insert(row)) }
	}),

	serve(contract.updateAccessGroup, async ({ deps, caller, params, body }) => {
		const row = await accessGroupStore(deps.db).update(groupRef(caller, params), omitUndefined(body))
		if (!row) throw new AppError('not_found', 'no such access group')
		return { data: viewGroup(row) }
	}),

	serve(contract.deleteAccessGroup, async ({ deps, caller, params }) => {
		requireFound(await accessGroupStore(deps.db).delete(groupRef(caller, params)), 'access group')
		return { data: { id: params.accessGroupId, deleted: true as const } }
	}),

	serve(contract.listAccessGroupMembers, async ({ deps, caller, params, query, request, headers }) => {
		const store = accessGroupStore(deps.db)
		requireFound(await store.exists(groupRef(caller, params)), 'access group')
		const rows = await store.listMembers(params.accessGroupId, query.limit, positionOf(query))
		const page = pageOf(rows, query, (row) => [row.addedAt, row.memberId], request, headers)
		return {
			data: page.map((row) => ({
				...row,
				expiresAt: isoOrNull(row.expiresAt),
				addedAt: iso(row.addedAt),
			})),
		}
	}),

	serve(contract.putAccessGroupMember, async ({ deps, caller, params, body }) => {
		const { memberId } = params
		const expiresAt = body?.expiresAt ? Date.parse(body.expiresAt) : null
		const group = groupRef(caller, params)
		requireFound(
			await accessGroupStore(deps.db).putMember(group, memberId, expiresAt, deps.now),
			'access group or member',
		)
		return { data: { memberId, expiresAt: isoOrNull(expiresAt) } }
	}),

	serve(contract.removeAccessGroupMember, async ({ deps, caller, params }) => {
		const { memberId } = params
		requireFound(
			await accessGroupStore(deps.db).removeMember(groupRef(caller, params), memberId),
			'access group or member',
		)
		return { data: { memberId, deleted: true as const } }
	}),

	serve(contract.listAccessGroupSpaces, async ({ deps, caller, params }) => {
		const store = accessGroupStore(deps.db)
		requireFound(await store.exists(groupRef(caller, params)), 'access group')
		return { data: await store.listSpaces(params.accessGroupId) }
	}),

	serve(contract.putAccessGroupSpace, async ({ deps, caller, params }) => {
		const { spaceId } = params
		requireFound(
			await accessGroupStore(deps.db).putSpace(groupRef(caller, params), spaceId, deps.now),
			'access group or space',
		)
		return { data: { spaceId } }
	}),

	serve(contract.removeAccessGroupSpace, async ({ deps, caller, params }) => {
		const { spaceId } = params
		requireFound(
			await accessGroupStore(deps.db).removeSpace(groupRef(caller, params), spaceId),
			'access group or space',
		)
		return { data: { spaceId, deleted: true as const } }
	}),
]
