import * as contract from '#schema/contract/accounts/security.ts'
import { setEntityTag, updateMatching } from '../../../http/entity-tag.ts'
import { type Route, serve } from '../../../http/route.ts'
import { changeSecurity, pickEditableFields, readSecurity } from './security.ts'

export const securityRoutes: Route[] = [
	serve(contract.getSecuritySettings, async ({ deps, caller, headers }) => {
		const data = await readSecurity(deps, caller.org.id)
		await setEntityTag(headers, pickEditableFields(data))
		return { data }
	}),

	serve(contract.updateSecuritySettings, async ({ deps, caller, body, request, headers }) => ({
		data: await updateMatching(
			contract.updateSecuritySettings,
			{ request, headers },
			{
				read: () => readSecurity(deps, caller.org.id),
				toState: pickEditableFields,
				update: (before) => changeSecurity(deps, caller, body, before),
			},
		),
	})),
]
