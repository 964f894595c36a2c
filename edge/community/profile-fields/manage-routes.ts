import * as contract from '#schema/contract/community/manage/profile-fields.ts'
import { AppError } from '../../http/errors.ts'
import { omitUndefined } from '../../http/omit-undefined.ts'
import { type Route, serve } from '../../http/route.ts'
import { rejectDuplicate, requireCommunity } from '../communities/communities.ts'
import { type ProfileFieldRow, profileFieldStore } from './store.ts'

const viewField = ({ communityId: _, createdAt: __, ...row }: ProfileFieldRow) => row
const fieldNotFoundError = () => new AppError('not_found', 'no such profile field')

export const profileFieldRoutes: Route[] = [
	serve(contract.listManagedProfileFields, async ({ deps, caller, params }) => {
		const { id } = await requireCommunity(deps, caller, params.communityId)
		return { data: (await profileFieldStore(deps.db).list(id)).map(viewField) }
	}),

	serve(contract.createProfileField, async ({ deps, caller, params, body }) => {
		const { id: communityId } = await requireCommunity(deps, caller, params.communityId)
		const row = { ...body, communityId, createdAt: deps.now }
		const field = await rejectDuplicate(
			'the community already has a field with this key; choose another one',
			() => profileFieldStore(deps.db).insert(row),
		)
		return { data: viewField(field) }
	}),

	serve(contract.updateProfileField, async ({ deps, caller, params, body }) => {
		const { communityId, fieldId } = params
		const row = await profileFieldStore(deps.db).update(
			caller.org.id,
			communityId,
			fieldId,
			omitUndefined(body),
		)
		if (!row) throw fieldNotFoundError()
		return { data: viewField(row) }
	}),

	serve(contract.deleteProfileField, async ({ deps, caller, params }) => {
		const { communityId, fieldId: id } = params
		if (!(await profileFieldStore(deps.db).delete(caller.org.id, communityId, id))) throw fieldNotFoundError()
		return { data: { id, deleted: true as const } }
	}),
]
