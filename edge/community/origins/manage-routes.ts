import * as contract from '#schema/contract/community/manage/origins.ts'
import { type Route, serve } from '../../http/route.ts'
import { listCommunityOrigins, replaceCommunityOrigins } from './origins.ts'

export const communityOriginRoutes: Route[] = [
	serve(contract.getCommunityOrigins, async ({ deps, caller, params }) => ({
		data: await listCommunityOrigins(deps, caller, params.communityId),
	})),

	serve(contract.replaceCommunityOrigins, async ({ deps, caller, params, body }) => ({
		data: await replaceCommunityOrigins(deps, caller, params.communityId, body.origins),
	})),
]
