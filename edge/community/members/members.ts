import type { ProfileValue } from '#schema/contract/community/members.ts'
import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { profileFieldStore } from '../profile-fields/store.ts'
import { indexBehind } from '../search/index-content.ts'
import { byFieldId, findMisfit } from './profile-values.ts'
import { memberStore, type ProfileChange, type ProfileRow } from './store.ts'

const noMember = () => new AppError('not_found', 'no such member')

export async function findProfile({ db }: Deps, viewer: Viewer, memberId: number): Promise<ProfileRow> {
	const row = await memberStore(db).findProfile(viewer, memberId)
	if (!row) throw noMember()
	return row
}

/** Who a member is, as an author. */
export async function findUserId({ db }: Deps, viewer: Viewer, memberId: number): Promise<number> {
	const userId = await memberStore(db).findUserId(viewer, memberId)
	if (userId === undefined) throw noMember()
	return userId
}

export async function updateProfile(
	deps: Deps,
	viewer: Viewer,
	change: ProfileChange,
	values: Record<string, ProfileValue | null> | undefined,
): Promise<ProfileRow> {
	const store = memberStore(deps.db)
	if (values) {
		const fields = await profileFieldStore(deps.db).list(viewer.communityId)
		const misfit = findMisfit(fields, values)
		if (misfit !== null) throw new AppError('validation', misfit)
		await store.update(viewer, change, byFieldId(fields, values))
	} else await store.update(viewer, change)
	indexBehind(deps, 'member', viewer.membershipId)
	return findProfile(deps, viewer, viewer.membershipId)
}
