import * as contract from '#schema/contract/accounts/allowed-origins.ts'
import type { OrgCaller } from '../../http/caller.ts'
import { type Route, serve } from '../../http/route.ts'
import { replaceOrigins } from './replace-origins.ts'
import { allowedOriginStore } from './store.ts'

const ownerOf = ({ org }: OrgCaller) => ({ orgId: org.id, communityId: null })

export const allowedOriginRoutes: Route[] = [
	serve(contract.getAllowedOrigins, async ({ deps, caller }) => ({
		data: { origins: await allowedOriginStore(deps.db).list(ownerOf(caller)) },
	})),

	serve(contract.replaceAllowedOrigins, async ({ deps, caller, body }) => ({
		data: {
			origins: await replaceOrigins(deps, ownerOf(caller), body.origins, { action: 'settings.updated' }),
		},
	})),
]
