import * as contract from '#schema/contract/community/manage/access-groups.ts'
import type { OrgCaller } from '../../http/caller.ts'
import { setEntityTag, updateMatching } from '../../http/entity-tag.ts'
import { omitUndefined } from '../../http/omit-undefined.ts'
import { buildPage } from '../../http/page.ts'
import { type Route, serve } from '../../http/route.ts'
import { toIso, toIsoOrNull } from '../../platform/clock.ts'
import {
	createAccessGroup,
	deleteAccessGroup,
	getAccessGroup,
	listAccessGroupMembers,
	listAccessGroupSpaces,
	listAccessGroups,
	listAccessGroupsOfMember,
	putAccessGroupMember,
	putAccessGroupMembers,
	putAccessGroupSpace,
	removeAccessGroupMember,
	removeAccessGroupSpace,
	updateAccessGroup,
} from './access-groups.ts'
import { type AccessGroupRow, type GroupRef, pickEditableColumns } from './store.ts'

const viewGroup = ({ communityId: _, ...row }: AccessGroupRow) => ({
	...row,
	createdAt: toIso(row.createdAt),
})

const groupRef = (caller: OrgCaller, params: { communityId: number; accessGroupId: number }): GroupRef => ({
	orgId: caller.org.id,
	communityId: params.communityId,
	accessGroupId: params.accessGroupId,
})

export const accessGroupRoutes: Route[] = [
	serve(contract.listAccessGroups, async ({ deps, caller, params, query, request, headers }) => {
		const rows = await listAccessGroups(deps, caller, params.communityId, query)
		const page = buildPage(rows, query, (row) => [row.createdAt, row.id], request, headers)
		return { data: page.map(viewGroup) }
	}),

	serve(contract.createAccessGroup, async ({ deps, caller, params, body }) => ({
		data: viewGroup(await createAccessGroup(deps, caller, params.communityId, body)),
	})),

	serve(contract.getAccessGroup, async ({ deps, caller, params, headers }) => {
		const row = await getAccessGroup(deps, groupRef(caller, params))
		await setEntityTag(headers, pickEditableColumns(row))
		return { data: viewGroup(row) }
	}),

	serve(contract.updateAccessGroup, async ({ deps, caller, params, body, request, headers }) => {
		const group = groupRef(caller, params)
		const row = await updateMatching(
			contract.updateAccessGroup,
			{ request, headers },
			{
				read: () => getAccessGroup(deps, group),
				toState: pickEditableColumns,
				update: (before) => updateAccessGroup(deps, group, omitUndefined(body), before),
			},
		)
		return { data: viewGroup(row) }
	}),

	serve(contract.deleteAccessGroup, async ({ deps, caller, params }) => {
		await deleteAccessGroup(deps, groupRef(caller, params))
		return { data: { id: params.accessGroupId, deleted: true as const } }
	}),

	serve(contract.listAccessGroupMembers, async ({ deps, caller, params, query, request, headers }) => {
		const rows = await listAccessGroupMembers(deps, groupRef(caller, params), query)
		const page = buildPage(rows, query, (row) => [row.addedAt, row.memberId], request, headers)
		return {
			data: page.map((row) => ({
				...row,
				expiresAt: toIsoOrNull(row.expiresAt),
				addedAt: toIso(row.addedAt),
			})),
		}
	}),

	serve(contract.putAccessGroupMember, async ({ deps, caller, params, body }) => {
		const { memberId } = params
		const expiresAt = body?.expiresAt ? Date.parse(body.expiresAt) : null
		await putAccessGroupMember(deps, groupRef(caller, params), memberId, expiresAt)
		return { data: { memberId, expiresAt: toIsoOrNull(expiresAt) } }
	}),

	serve(contract.putAccessGroupMembers, async ({ deps, caller, params, body: { memberIds, expiresAt } }) => {
		const until = expiresAt === null ? null : Date.parse(expiresAt)
		const added = await putAccessGroupMembers(deps, groupRef(caller, params), memberIds, until)
		return { data: memberIds.map((memberId) => ({ memberId, added: added.has(memberId) })) }
	}),

	serve(contract.listAccessGroupsOfMember, async ({ deps, caller, params: { communityId, memberId } }) => {
		const groups = await listAccessGroupsOfMember(deps, caller, communityId, memberId)
		return {
			data: groups.map((group) => ({
				...group,
				expiresAt: toIsoOrNull(group.expiresAt),
				addedAt: toIso(group.addedAt),
			})),
		}
	}),

	serve(contract.removeAccessGroupMember, async ({ deps, caller, params }) => {
		const { memberId } = params
		await removeAccessGroupMember(deps, groupRef(caller, params), memberId)
		return { data: { memberId, deleted: true as const } }
	}),

	serve(contract.listAccessGroupSpaces, async ({ deps, caller, params }) => ({
		data: await listAccessGroupSpaces(deps, groupRef(caller, params)),
	})),

	serve(contract.putAccessGroupSpace, async ({ deps, caller, params }) => {
		const { spaceId } = params
		await putAccessGroupSpace(deps, groupRef(caller, params), spaceId)
		return { data: { spaceId } }
	}),

	serve(contract.removeAccessGroupSpace, async ({ deps, caller, params }) => {
		const { spaceId } = params
		await removeAccessGroupSpace(deps, groupRef(caller, params), spaceId)
		return { data: { spaceId, deleted: true as const } }
	}),
]
