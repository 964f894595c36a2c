import * as contract from '#schema/contract/community/manage/identity-providers.ts'
import { type Route, serve } from '../../http/route.ts'
import {
	createIdentityProvider,
	deleteIdentityProvider,
	listIdentityProviders,
	updateIdentityProvider,
} from './providers.ts'
import { viewIdentityProvider } from './view.ts'

export const identityProviderRoutes: Route[] = [
	serve(contract.listIdentityProviders, async ({ deps, caller, params, request }) => {
		const rows = await listIdentityProviders(deps, caller, params.communityId)
		return { data: rows.map((row) => viewIdentityProvider(row, deps.env, request)) }
	}),

	serve(contract.createIdentityProvider, async ({ deps, caller, params, body, request }) => {
		const row = await createIdentityProvider(deps, caller, params.communityId, body)
		return { data: viewIdentityProvider(row, deps.env, request) }
	}),

	serve(contract.updateIdentityProvider, async ({ deps, caller, params, body, request }) => {
		const { communityId, providerId } = params
		const row = await updateIdentityProvider(deps, caller, communityId, providerId, body)
		return { data: viewIdentityProvider(row, deps.env, request) }
	}),

	serve(contract.deleteIdentityProvider, async ({ deps, caller, params }) => {
		const { communityId, providerId: id } = params
		await deleteIdentityProvider(deps, caller, communityId, id)
		return { data: { id, deleted: true as const } }
	}),
]
