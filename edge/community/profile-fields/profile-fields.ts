import type { OrgCaller } from '../../http/caller.ts'
import { notFoundError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import { rejectDuplicate, requireCommunity } from '../communities/communities.ts'
import { type ProfileFieldChange, type ProfileFieldRow, profileFieldStore } from './store.ts'

type FieldPath = { communityId: number; fieldId: number }

const KEY_TAKEN = 'the community already has a field with this key; choose another one'
const fieldNotFoundError = () => notFoundError('profile field')

export async function listProfileFields(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
): Promise<ProfileFieldRow[]> {
	const { id } = await requireCommunity(deps, caller, communityId)
	return profileFieldStore(deps.db).list(id)
}

export async function createProfileField(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
	field: Omit<ProfileFieldRow, 'id' | 'communityId' | 'createdAt'>,
): Promise<ProfileFieldRow> {
	const { id } = await requireCommunity(deps, caller, communityId)
	const row = { ...field, communityId: id, createdAt: deps.now }
	return rejectDuplicate(KEY_TAKEN, () => profileFieldStore(deps.db).insert(deps.work, row))
}

export async function updateProfileField(
	{ db, work }: Deps,
	caller: OrgCaller,
	{ communityId, fieldId }: FieldPath,
	change: ProfileFieldChange,
): Promise<ProfileFieldRow> {
	const row = await profileFieldStore(db).update(work, caller.org.id, communityId, fieldId, change)
	if (!row) throw fieldNotFoundError()
	return row
}

export async function deleteProfileField(
	{ db, work }: Deps,
	caller: OrgCaller,
	{ communityId, fieldId }: FieldPath,
): Promise<void> {
	if (!(await profileFieldStore(db).delete(work, caller.org.id, communityId, fieldId)))
		throw fieldNotFoundError()
}
