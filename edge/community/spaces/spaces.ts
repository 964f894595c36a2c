import type { MemberSpaceGroup } from '#schema/contract/community/member/spaces.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { memberNotFoundError, spaceGroupNotFoundError, spaceNotFoundError } from '../not-found.ts'
import { type SpaceRow, spaceStore, type TopicRow } from './store.ts'

/** Returns a visible space. Throws 404 for a space that the viewer can't see. */
export async function findSpace({ db }: Deps, viewer: Viewer, spaceId: number): Promise<SpaceRow> {
	const space = await spaceStore(db).find(viewer, spaceId)
	if (!space) throw spaceNotFoundError()
	return space
}

export async function markSpaceRead({ db }: Deps, viewer: Viewer, spaceId: number): Promise<void> {
	if (!(await spaceStore(db).markRead(viewer, spaceId))) throw spaceNotFoundError()
}

/** Returns the first visible space. Throws 404 if the viewer can see none. */
export async function findHomeSpace({ db }: Deps, viewer: Viewer): Promise<SpaceRow> {
	const space = await spaceStore(db).findFirst(viewer)
	if (!space) throw spaceNotFoundError()
	return space
}

/** Returns a space group that contains a visible space. */
export async function findSpaceGroup({ db }: Deps, viewer: Viewer, id: number): Promise<MemberSpaceGroup> {
	const [group] = await spaceStore(db).listGroups(viewer, id)
	if (!group) throw spaceGroupNotFoundError()
	return group
}

export async function listMemberSpaces({ db }: Deps, viewer: Viewer, memberId: number) {
	const store = spaceStore(db)
	if (!(await store.isMember(viewer, memberId))) throw memberNotFoundError()
	return store.listForMember(viewer, memberId)
}

export async function listTopics(deps: Deps, viewer: Viewer, spaceId: number): Promise<TopicRow[]> {
	const { id } = await findSpace(deps, viewer, spaceId)
	return spaceStore(deps.db).listTopics(id)
}
