import * as contract from '#schema/contract/community/managed-profile-fields.ts'
import { givenOf } from '../../http/changes.ts'
import { AppError } from '../../http/errors.ts'
import { type Route, serve } from '../../http/route.ts'
import { refuseTaken, wantCommunity } from '../communities/communities.ts'
import { type ProfileFieldRow, profileFieldStore } from './store.ts'

const viewField = ({ communityId: _, createdAt: __, ...row }: ProfileFieldRow) => row
const noField = () => new AppError('not_found', 'no such profile field')

export const profileFieldRoutes: Route[] = [
	serve(contract.listManagedProfileFields, async ({ deps, caller, params }) => {
		const { id } = await wantCommunity(deps, caller, params.communityId)
		return { data: (await profileFieldStore(deps.db).list(id)).map(viewField) }
	}),

	serve(contract.createProfileField, async ({ deps, caller, params, body }) => {
		const { id: communityId } = await wantCommunity(deps, caller, params.communityId)
		const row = { ...body, communityId, createdAt: deps.now }
		const made = await refuseTaken('the community has a field with this key', () =>
			profileFieldStore(deps.db).insert(row),
		)
		return { data: viewField(made) }
	}),

	serve(contract.updateProfileField, async ({ deps, caller, params, body }) => {
		const { communityId, fieldId } = params
		const row = await profileFieldStore(deps.db).update(caller.org.id, communityId, fieldId, givenOf(body))
		if (!row) throw noField()
		return { data: viewField(row) }
	}),

	serve(contract.deleteProfileField, async ({ deps, caller, params }) => {
		const { communityId, fieldId: id } = params
		if (!(await profileFieldStore(deps.db).delete(caller.org.id, communityId, id))) throw noField()
		return { data: { id, deleted: true as const } }
	}),
]
