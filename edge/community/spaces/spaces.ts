import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { type SpaceRow, spaceStore } from './store.ts'

/** A space that the viewer sees; one that they do not see is not there for them. */
export async function findSpace({ db }: Deps, viewer: Viewer, spaceId: number): Promise<SpaceRow> {
	const space = await spaceStore(db).find(viewer, spaceId)
	if (!space) throw new AppError('not_found', 'no such space')
	return space
}

export async function listMemberSpaces({ db }: Deps, viewer: Viewer, memberId: number) {
	const store = spaceStore(db)
	if (!(await store.isMember(viewer, memberId))) throw new AppError('not_found', 'no such member')
	return store.listOfMember(viewer, memberId)
}
