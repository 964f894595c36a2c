import * as contract from '#schema/contract/community/manage/spaces.ts'
import type { OrgCaller } from '../../http/caller.ts'
import { AppError } from '../../http/errors.ts'
import { omitUndefined } from '../../http/omit-undefined.ts'
import { type Route, serve } from '../../http/route.ts'
import { iso } from '../../platform/clock.ts'
import { rejectDuplicate, requireCommunity } from '../communities/communities.ts'
import { spaceGroupNotFoundError, spaceNotFoundError } from '../not-found.ts'
import { type CommunityRef, managedSpaceStore, type SpaceGroupRow, type SpaceRow } from './manage-store.ts'

const viewGroup = ({ communityId: _, ...row }: SpaceGroupRow) => ({ ...row, createdAt: iso(row.createdAt) })

const viewSpace = ({ communityId: _, ...row }: SpaceRow) => ({
	...row,
	createdAt: iso(row.createdAt),
	updatedAt: iso(row.updatedAt),
})

const communityRef = (caller: OrgCaller, { communityId }: { communityId: number }): CommunityRef => ({
	orgId: caller.org.id,
	communityId,
})

const SLUG_TAKEN = 'this slug is taken in the community; choose another one'

export const managedSpaceRoutes: Route[] = [
	serve(contract.listSpaceGroups, async ({ deps, caller, params }) => {
		const { id } = await requireCommunity(deps, caller, params.communityId)
		return { data: (await managedSpaceStore(deps.db).listGroups(id)).map(viewGroup) }
	}),

	serve(contract.createSpaceGroup, async ({ deps, caller, params, body }) => {
		const { id: communityId } = await requireCommunity(deps, caller, params.communityId)
		const row = { ...body, communityId, createdAt: deps.now }
		return {
			data: viewGroup(await rejectDuplicate(SLUG_TAKEN, () => managedSpaceStore(deps.db).insertGroup(row))),
		}
	}),

	serve(contract.updateSpaceGroup, async ({ deps, caller, params, body }) => {
		const row = await rejectDuplicate(SLUG_TAKEN, () =>
			managedSpaceStore(deps.db).updateGroup(
				communityRef(caller, params),
				params.spaceGroupId,
				omitUndefined(body),
			),
		)
		if (!row) throw spaceGroupNotFoundError()
		return { data: viewGroup(row) }
	}),

	serve(contract.deleteSpaceGroup, async ({ deps, caller, params }) => {
		const { spaceGroupId: id } = params
		if (!(await managedSpaceStore(deps.db).deleteGroup(communityRef(caller, params), id, deps.now)))
			throw spaceGroupNotFoundError()
		return { data: { id, deleted: true as const } }
	}),

	serve(contract.listManagedSpaces, async ({ deps, caller, params }) => {
		const { id } = await requireCommunity(deps, caller, params.communityId)
		return { data: (await managedSpaceStore(deps.db).list(id)).map(viewSpace) }
	}),

	serve(contract.createSpace, async ({ deps, caller, params, body }) => {
		const { id: communityId } = await requireCommunity(deps, caller, params.communityId)
		const row = { ...body, communityId, createdAt: deps.now, updatedAt: deps.now }
		const space = await rejectDuplicate(SLUG_TAKEN, () => managedSpaceStore(deps.db).insert(row))
		if (!space) throw spaceGroupNotFoundError()
		return { data: viewSpace(space) }
	}),

	serve(contract.getManagedSpace, async ({ deps, caller, params }) => {
		const row = await managedSpaceStore(deps.db).find(communityRef(caller, params), params.spaceId)
		if (!row) throw spaceNotFoundError()
		return { data: viewSpace(row) }
	}),

	serve(contract.updateSpace, async ({ deps, caller, params, body }) => {
		const store = managedSpaceStore(deps.db)
		const row = await rejectDuplicate(SLUG_TAKEN, () =>
			store.update(communityRef(caller, params), params.spaceId, omitUndefined(body), deps.now),
		)
		if (!row) throw new AppError('not_found', 'no such space, or no such space group')
		return { data: viewSpace(row) }
	}),

	serve(contract.deleteSpace, async ({ deps, caller, params }) => {
		const { spaceId: id } = params
		const store = managedSpaceStore(deps.db)
		const ref = communityRef(caller, params)
		if (!(await store.delete(ref, id))) {
			if (!(await store.find(ref, id))) throw spaceNotFoundError()
			throw new AppError('conflict', 'the space has posts (perhaps hidden) or events; delete them first')
		}
		return { data: { id, deleted: true as const } }
	}),
]
