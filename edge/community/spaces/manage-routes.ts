import * as contract from '#schema/contract/community/manage/spaces.ts'
import type { OrgCaller } from '../../http/caller.ts'
import { setEntityTag, updateMatching } from '../../http/entity-tag.ts'
import { omitUndefined } from '../../http/omit-undefined.ts'
import { type Route, serve } from '../../http/route.ts'
import { toIso } from '../../platform/clock.ts'
import { type CommunityRef, pickEditableColumns, type SpaceGroupRow, type SpaceRow } from './manage-store.ts'
import * as managed from './managed-spaces.ts'

const viewGroup = ({ communityId: _, ...row }: SpaceGroupRow) => ({ ...row, createdAt: toIso(row.createdAt) })

const viewSpace = ({ communityId: _, ...row }: SpaceRow) => ({
	...row,
	createdAt: toIso(row.createdAt),
	updatedAt: toIso(row.updatedAt),
})

const communityRef = (caller: OrgCaller, { communityId }: { communityId: number }): CommunityRef => ({
	orgId: caller.org.id,
	communityId,
})

export const managedSpaceRoutes: Route[] = [
	serve(contract.listSpaceGroups, async ({ deps, caller, params }) => ({
		data: (await managed.listManagedGroups(deps, caller, params.communityId)).map(viewGroup),
	})),

	serve(contract.createSpaceGroup, async ({ deps, caller, params, body }) => ({
		data: viewGroup(await managed.createGroup(deps, caller, params.communityId, body)),
	})),

	serve(contract.updateSpaceGroup, async ({ deps, caller, params, body }) => {
		const ref = communityRef(caller, params)
		const change = omitUndefined(body)
		return { data: viewGroup(await managed.updateGroup(deps, ref, params.spaceGroupId, change)) }
	}),

	serve(contract.deleteSpaceGroup, async ({ deps, caller, params }) => {
		await managed.deleteGroup(deps, communityRef(caller, params), params.spaceGroupId)
		return { data: { id: params.spaceGroupId, deleted: true as const } }
	}),

	serve(contract.listManagedSpaces, async ({ deps, caller, params }) => ({
		data: (await managed.listManagedSpaces(deps, caller, params.communityId)).map(viewSpace),
	})),

	serve(contract.createSpace, async ({ deps, caller, params, body }) => ({
		data: viewSpace(await managed.createSpace(deps, caller, params.communityId, body)),
	})),

	serve(contract.getManagedSpace, async ({ deps, caller, params, headers }) => {
		const row = await managed.findManagedSpace(deps, communityRef(caller, params), params.spaceId)
		await setEntityTag(headers, pickEditableColumns(row))
		return { data: viewSpace(row) }
	}),

	serve(contract.updateSpace, async ({ deps, caller, params, body, request, headers }) => {
		const ref = communityRef(caller, params)
		const row = await updateMatching(
			contract.updateSpace,
			{ request, headers },
			{
				read: () => managed.findManagedSpace(deps, ref, params.spaceId),
				toState: pickEditableColumns,
				update: (before) => managed.updateSpace(deps, ref, params.spaceId, omitUndefined(body), before),
			},
		)
		return { data: viewSpace(row) }
	}),

	serve(contract.deleteSpace, async ({ deps, caller, params }) => {
		await managed.deleteSpace(deps, communityRef(caller, params), params.spaceId)
		return { data: { id: params.spaceId, deleted: true as const } }
	}),
]
