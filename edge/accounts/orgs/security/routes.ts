import * as contract from '#schema/contract/accounts/security.ts'
import { type Route, serve } from '../../../http/route.ts'
import { changeSecurity, readSecurity } from './security.ts'

export const securityRoutes: Route[] = [
	serve(contract.getSecuritySettings, async ({ deps, caller }) => ({
		data: await readSecurity(deps, caller.org.id),
	})),

	serve(contract.updateSecuritySettings, async ({ deps, caller, body }) => ({
		data: await changeSecurity(deps, caller, body),
	})),
]
