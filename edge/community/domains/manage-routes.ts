import * as contract from '#schema/contract/community/manage/domains.ts'
import { type Route, serve } from '../../http/route.ts'
import { checkDomainNow, requireDomain } from './domains.ts'
import { viewDomain } from './view.ts'

export const domainRoutes: Route[] = [
	serve(contract.getCommunityDomain, async ({ deps, caller, params }) => ({
		data: viewDomain(await requireDomain(deps, caller, params.communityId)),
	})),

	serve(contract.checkCommunityDomain, async ({ deps, caller, params }) => ({
		data: viewDomain(await checkDomainNow(deps, caller, params.communityId)),
	})),
]
