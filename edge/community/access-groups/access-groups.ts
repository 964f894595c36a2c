import type { PageQuery } from '#schema/contract/kit/page.ts'
import type { OrgCaller } from '../../http/caller.ts'
import { notFoundError } from '../../http/errors.ts'
import { decodeCursor } from '../../http/page.ts'
import type { Deps } from '../../platform/deps.ts'
import { requireCommunity } from '../communities/communities.ts'
import { findMembership } from '../members/memberships.ts'
import {
	type AccessGroupChange,
	type AccessGroupRow,
	accessGroupStore,
	type GroupRef,
	pickEditableColumns,
} from './store.ts'

const groupNotFoundError = () => notFoundError('access group')
const groupOrMemberNotFoundError = () => notFoundError('access group or member')
const groupOrSpaceNotFoundError = () => notFoundError('access group or space')

export async function listAccessGroups(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
	query: PageQuery,
): Promise<AccessGroupRow[]> {
	const { id } = await requireCommunity(deps, caller, communityId)
	return accessGroupStore(deps.db).list(id, query.limit, decodeCursor(query))
}

export async function createAccessGroup(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
	input: Pick<AccessGroupRow, 'name'>,
): Promise<AccessGroupRow> {
	const { id } = await requireCommunity(deps, caller, communityId)
	const row = { ...input, communityId: id, status: 'active' as const, createdAt: deps.now }
	return accessGroupStore(deps.db).insert(deps.work, row)
}

export async function getAccessGroup({ db }: Deps, group: GroupRef): Promise<AccessGroupRow> {
	const row = await accessGroupStore(db).find(group)
	if (!row) throw groupNotFoundError()
	return row
}

export async function updateAccessGroup(
	{ db, work }: Deps,
	group: GroupRef,
	change: AccessGroupChange,
	before?: AccessGroupRow,
): Promise<AccessGroupRow> {
	const row = await accessGroupStore(db).update(work, group, change, before && pickEditableColumns(before))
	if (!row) throw groupNotFoundError()
	return row
}

export async function deleteAccessGroup({ db, work }: Deps, group: GroupRef): Promise<void> {
	if (!(await accessGroupStore(db).delete(work, group))) throw groupNotFoundError()
}

async function requireGroup({ db }: Deps, group: GroupRef): Promise<void> {
	if (!(await accessGroupStore(db).exists(group))) throw groupNotFoundError()
}

export async function listAccessGroupMembers(deps: Deps, group: GroupRef, query: PageQuery) {
	await requireGroup(deps, group)
	return accessGroupStore(deps.db).listMembers(group.accessGroupId, query.limit, decodeCursor(query))
}

/** Adds a member to an access group, or replaces the expiry of a member who is in it. */
export async function putAccessGroupMember(
	{ db, work }: Deps,
	group: GroupRef,
	memberId: number,
	expiresAt: number | null,
): Promise<void> {
	if (!(await accessGroupStore(db).putMember(work, group, memberId, expiresAt)))
		throw groupOrMemberNotFoundError()
}

/** Adds members to an access group. Returns which ids are members of the community. */
export async function putAccessGroupMembers(
	{ db, work }: Deps,
	group: GroupRef,
	memberIds: readonly number[],
	expiresAt: number | null,
): Promise<Set<number>> {
	const added = await accessGroupStore(db).putMembers(work, group, memberIds, expiresAt)
	if (!added) throw groupNotFoundError()
	return new Set(added)
}

export async function listAccessGroupsOfMember(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
	memberId: number,
) {
	await findMembership(deps, caller, communityId, memberId)
	return accessGroupStore(deps.db).listOfMember(communityId, memberId)
}

export async function removeAccessGroupMember(
	{ db, work }: Deps,
	group: GroupRef,
	memberId: number,
): Promise<void> {
	if (!(await accessGroupStore(db).removeMember(work, group, memberId))) throw groupOrMemberNotFoundError()
}

export async function listAccessGroupSpaces(deps: Deps, group: GroupRef) {
	await requireGroup(deps, group)
	return accessGroupStore(deps.db).listSpaces(group.accessGroupId)
}

export async function putAccessGroupSpace(
	{ db, work }: Deps,
	group: GroupRef,
	spaceId: number,
): Promise<void> {
	if (!(await accessGroupStore(db).putSpace(work, group, spaceId))) throw groupOrSpaceNotFoundError()
}

export async function removeAccessGroupSpace(
	{ db, work }: Deps,
	group: GroupRef,
	spaceId: number,
): Promise<void> {
	if (!(await accessGroupStore(db).removeSpace(work, group, spaceId))) throw groupOrSpaceNotFoundError()
}
