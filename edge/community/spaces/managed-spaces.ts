import type { OrgCaller } from '../../http/caller.ts'
import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import { rejectDuplicate, requireCommunity } from '../communities/communities.ts'
import { spaceGroupNotFoundError, spaceNotFoundError } from '../not-found.ts'
import {
	type CommunityRef,
	managedSpaceStore,
	type NewSpace,
	pickEditableColumns,
	type SpaceChange,
	type SpaceGroupChange,
	type SpaceGroupRow,
	type SpaceRow,
} from './manage-store.ts'

const SLUG_TAKEN = 'this slug is taken in the community; choose another one'

export async function listManagedGroups(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
): Promise<SpaceGroupRow[]> {
	const { id } = await requireCommunity(deps, caller, communityId)
	return managedSpaceStore(deps.db).listGroups(id)
}

export async function createGroup(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
	group: Pick<SpaceGroupRow, 'name' | 'slug' | 'position'>,
): Promise<SpaceGroupRow> {
	const { id } = await requireCommunity(deps, caller, communityId)
	const row = { ...group, communityId: id, createdAt: deps.now }
	return rejectDuplicate(SLUG_TAKEN, () => managedSpaceStore(deps.db).insertGroup(row))
}

export async function updateGroup(
	{ db }: Deps,
	ref: CommunityRef,
	groupId: number,
	change: SpaceGroupChange,
): Promise<SpaceGroupRow> {
	const row = await rejectDuplicate(SLUG_TAKEN, () => managedSpaceStore(db).updateGroup(ref, groupId, change))
	if (!row) throw spaceGroupNotFoundError()
	return row
}

export async function deleteGroup({ db, now }: Deps, ref: CommunityRef, groupId: number): Promise<void> {
	if (!(await managedSpaceStore(db).deleteGroup(ref, groupId, now))) throw spaceGroupNotFoundError()
}

export async function listManagedSpaces(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
): Promise<SpaceRow[]> {
	const { id } = await requireCommunity(deps, caller, communityId)
	return managedSpaceStore(deps.db).list(id)
}

export async function createSpace(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
	space: NewSpace,
): Promise<SpaceRow> {
	const { id } = await requireCommunity(deps, caller, communityId)
	const inserted = await rejectDuplicate(SLUG_TAKEN, () =>
		managedSpaceStore(deps.db).insert(deps.work, id, space),
	)
	if (!inserted) throw spaceGroupNotFoundError()
	return inserted
}

export async function findManagedSpace({ db }: Deps, ref: CommunityRef, spaceId: number): Promise<SpaceRow> {
	const row = await managedSpaceStore(db).find(ref, spaceId)
	if (!row) throw spaceNotFoundError()
	return row
}

export async function updateSpace(
	{ db, work }: Deps,
	ref: CommunityRef,
	spaceId: number,
	change: SpaceChange,
	before?: SpaceRow,
): Promise<SpaceRow> {
	const row = await rejectDuplicate(SLUG_TAKEN, () =>
		managedSpaceStore(db).update(work, ref, spaceId, change, before && pickEditableColumns(before)),
	)
	if (!row) throw new AppError('not_found', 'the space or the space group does not exist')
	return row
}

export async function deleteSpace(deps: Deps, ref: CommunityRef, spaceId: number): Promise<void> {
	if (await managedSpaceStore(deps.db).delete(deps.work, ref, spaceId)) return
	await findManagedSpace(deps, ref, spaceId)
	throw new AppError('conflict', 'the space has posts, possibly hidden, or events; delete them first')
}
