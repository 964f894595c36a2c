import * as contract from '#schema/contract/community/managed-spaces.ts'
import type { OrgCaller } from '../../http/caller.ts'
import { givenOf } from '../../http/changes.ts'
import { AppError } from '../../http/errors.ts'
import { type Route, serve } from '../../http/route.ts'
import { iso } from '../../platform/clock.ts'
import { refuseTaken, wantCommunity } from '../communities/communities.ts'
import { managedSpaceStore, type Place, type SpaceGroupRow, type SpaceRow } from './store.ts'

const viewGroup = ({ communityId: _, ...row }: SpaceGroupRow) => ({ ...row, createdAt: iso(row.createdAt) })

const viewSpace = ({ communityId: _, ...row }: SpaceRow) => ({
	...row,
	createdAt: iso(row.createdAt),
	updatedAt: iso(row.updatedAt),
})

const placeOf = (caller: OrgCaller, { communityId }: { communityId: number }): Place => ({
	orgId: caller.org.id,
	communityId,
})

const TAKEN = 'this slug is taken in the community; choose another one'
const noGroup = () => new AppError('not_found', 'no such space group')
const noSpace = () => new AppError('not_found', 'no such space')

export const managedSpaceRoutes: Route[] = [
	serve(contract.listSpaceGroups, async ({ deps, caller, params }) => {
		const { id } = await wantCommunity(deps, caller, params.communityId)
		return { data: (await managedSpaceStore(deps.db).listGroups(id)).map(viewGroup) }
	}),

	serve(contract.createSpaceGroup, async ({ deps, caller, params, body }) => {
		const { id: communityId } = await wantCommunity(deps, caller, params.communityId)
		const row = { ...body, communityId, createdAt: deps.now }
		return { data: viewGroup(await refuseTaken(TAKEN, () => managedSpaceStore(deps.db).insertGroup(row))) }
	}),

	serve(contract.updateSpaceGroup, async ({ deps, caller, params, body }) => {
		const row = await refuseTaken(TAKEN, () =>
			managedSpaceStore(deps.db).updateGroup(placeOf(caller, params), params.spaceGroupId, givenOf(body)),
		)
		if (!row) throw noGroup()
		return { data: viewGroup(row) }
	}),

	serve(contract.deleteSpaceGroup, async ({ deps, caller, params }) => {
		const { spaceGroupId: id } = params
		if (!(await managedSpaceStore(deps.db).deleteGroup(placeOf(caller, params), id, deps.now)))
			throw noGroup()
		return { data: { id, deleted: true as const } }
	}),

	serve(contract.listManagedSpaces, async ({ deps, caller, params }) => {
		const { id } = await wantCommunity(deps, caller, params.communityId)
		return { data: (await managedSpaceStore(deps.db).list(id)).map(viewSpace) }
	}),

	serve(contract.createSpace, async ({ deps, caller, params, body }) => {
		const { id: communityId } = await wantCommunity(deps, caller, params.communityId)
		const row = { ...body, communityId, createdAt: deps.now, updatedAt: deps.now }
		const made = await refuseTaken(TAKEN, () => managedSpaceStore(deps.db).insert(row))
		if (!made) throw noGroup()
		return { data: viewSpace(made) }
	}),

	serve(contract.getManagedSpace, async ({ deps, caller, params }) => {
		const row = await managedSpaceStore(deps.db).find(placeOf(caller, params), params.spaceId)
		if (!row) throw noSpace()
		return { data: viewSpace(row) }
	}),

	serve(contract.updateSpace, async ({ deps, caller, params, body }) => {
		const store = managedSpaceStore(deps.db)
		const row = await refuseTaken(TAKEN, () =>
			store.update(placeOf(caller, params), params.spaceId, givenOf(body), deps.now),
		)
		if (!row) throw new AppError('not_found', 'no such space, or no such space group')
		return { data: viewSpace(row) }
	}),

	serve(contract.deleteSpace, async ({ deps, caller, params }) => {
		const { spaceId: id } = params
		const store = managedSpaceStore(deps.db)
		const place = placeOf(caller, params)
		if (!(await store.delete(place, id))) {
			if (!(await store.find(place, id))) throw noSpace()
			throw new AppError('conflict', 'the space holds posts or events')
		}
		return { data: { id, deleted: true as const } }
	}),
]
