import * as contract from '#schema/contract/community/manage/profile-fields.ts'
import { omitUndefined } from '../../http/omit-undefined.ts'
import { type Route, serve } from '../../http/route.ts'
import {
	createProfileField,
	deleteProfileField,
	listProfileFields,
	updateProfileField,
} from './profile-fields.ts'
import type { ProfileFieldRow } from './store.ts'

const viewField = ({ communityId: _, createdAt: __, ...row }: ProfileFieldRow) => row

export const profileFieldRoutes: Route[] = [
	serve(contract.listManagedProfileFields, async ({ deps, caller, params }) => ({
		data: (await listProfileFields(deps, caller, params.communityId)).map(viewField),
	})),

	serve(contract.createProfileField, async ({ deps, caller, params, body }) => ({
		data: viewField(await createProfileField(deps, caller, params.communityId, body)),
	})),

	serve(contract.updateProfileField, async ({ deps, caller, params, body }) => ({
		data: viewField(await updateProfileField(deps, caller, params, omitUndefined(body))),
	})),

	serve(contract.deleteProfileField, async ({ deps, caller, params }) => {
		await deleteProfileField(deps, caller, params)
		return { data: { id: params.fieldId, deleted: true as const } }
	}),
]
