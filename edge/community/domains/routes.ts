import * as contract from '#schema/contract/community/domains.ts'
import { type Route, serve } from '../../http/route.ts'
import { checkDomainNow, wantDomain } from './domains.ts'
import { viewDomain } from './view.ts'

export const domainRoutes: Route[] = [
	serve(contract.getCommunityDomain, async ({ deps, caller, params }) => ({
		data: viewDomain(await wantDomain(deps, caller, params.communityId)),
	})),

	serve(contract.checkCommunityDomain, async ({ deps, caller, params }) => ({
		data: viewDomain(await checkDomainNow(deps, caller, params.communityId)),
	})),
]
