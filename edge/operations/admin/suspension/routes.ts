import * as contract from '#schema/contract/accounts/suspension.ts'
import { type Route, serve } from '../../../http/route.ts'
import type { SuspendedOrg } from './store.ts'
import { suspendOrg, unsuspendOrg } from './suspension.ts'

const view = ({ orgId, suspendedAt, suspensionReasons }: SuspendedOrg) => ({
	orgId,
	suspended: suspendedAt !== null,
	suspensionReasons,
})

export const suspensionRoutes: Route[] = [
	serve(contract.suspendOrg, async ({ deps, params, body }) => ({
		data: view(await suspendOrg(deps, params.orgId, body.reason)),
	})),

	serve(contract.unsuspendOrg, async ({ deps, params, body }) => ({
		data: view(await unsuspendOrg(deps, params.orgId, body.reason)),
	})),
]
