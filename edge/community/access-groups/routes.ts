import * as contract from '#schema/contract/community/access-groups.ts'
import type { OrgCaller } from '../../http/caller.ts'
import { givenOf } from '../../http/changes.ts'
import { AppError } from '../../http/errors.ts'
import { pageOf, positionOf } from '../../http/page.ts'
import { type Route, serve } from '../../http/route.ts'
import { iso, isoOrNull } from '../../platform/clock.ts'
import { wantCommunity } from '../communities/communities.ts'
import { type AccessGroupRow, accessGroupStore, type GroupPlace } from './store.ts'

const viewGroup = ({ communityId: _, ...row }: AccessGroupRow) => ({ ...row, createdAt: iso(row.createdAt) })

const placeOf = (caller: OrgCaller, params: { communityId: number; accessGroupId: number }): GroupPlace => ({
	orgId: caller.org.id,
	communityId: params.communityId,
	accessGroupId: params.accessGroupId,
})

function want(isThere: boolean, what: string): void {
	if (!isThere) throw new AppError('not_found', `no such ${what}`)
}

export const accessGroupRoutes: Route[] = [
	serve(contract.listAccessGroups, async ({ deps, caller, params, query, request, headers }) => {
		const { id } = await wantCommunity(deps, caller, params.communityId)
		const rows = await accessGroupStore(deps.db).list(id, query.limit, positionOf(query))
		const page = pageOf(rows, query, (row) => [row.createdAt, row.id], request, headers)
		return { data: page.map(viewGroup) }
	}),

	serve(contract.createAccessGroup, async ({ deps, caller, params, body }) => {
		const { id: communityId } = await wantCommunity(deps, caller, params.communityId)
		const row = { ...body, communityId, status: 'active' as const, createdAt: deps.now }
		return { data: viewGroup(await accessGroupStore(deps.db).insert(row)) }
	}),

	serve(contract.updateAccessGroup, async ({ deps, caller, params, body }) => {
		const row = await accessGroupStore(deps.db).update(placeOf(caller, params), givenOf(body))
		if (!row) throw new AppError('not_found', 'no such access group')
		return { data: viewGroup(row) }
	}),

	serve(contract.deleteAccessGroup, async ({ deps, caller, params }) => {
		want(await accessGroupStore(deps.db).delete(placeOf(caller, params)), 'access group')
		return { data: { id: params.accessGroupId, deleted: true as const } }
	}),

	serve(contract.listAccessGroupMembers, async ({ deps, caller, params, query, request, headers }) => {
		const store = accessGroupStore(deps.db)
		want(await store.isThere(placeOf(caller, params)), 'access group')
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
		const place = placeOf(caller, params)
		want(await accessGroupStore(deps.db).putMember(place, memberId, expiresAt, deps.now), 'group or member')
		return { data: { memberId, expiresAt: isoOrNull(expiresAt) } }
	}),

	serve(contract.removeAccessGroupMember, async ({ deps, caller, params }) => {
		const { memberId } = params
		want(await accessGroupStore(deps.db).removeMember(placeOf(caller, params), memberId), 'group or member')
		return { data: { memberId, deleted: true as const } }
	}),

	serve(contract.listAccessGroupSpaces, async ({ deps, caller, params }) => {
		const store = accessGroupStore(deps.db)
		want(await store.isThere(placeOf(caller, params)), 'access group')
		return { data: await store.listSpaces(params.accessGroupId) }
	}),

	serve(contract.putAccessGroupSpace, async ({ deps, caller, params }) => {
		const { spaceId } = params
		want(
			await accessGroupStore(deps.db).putSpace(placeOf(caller, params), spaceId, deps.now),
			'group or space',
		)
		return { data: { spaceId } }
	}),

	serve(contract.removeAccessGroupSpace, async ({ deps, caller, params }) => {
		const { spaceId } = params
		want(await accessGroupStore(deps.db).removeSpace(placeOf(caller, params), spaceId), 'group or space')
		return { data: { spaceId, deleted: true as const } }
	}),
]
