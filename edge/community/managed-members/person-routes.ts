import * as contract from '#schema/contract/community/manage/managed-memberships.ts'
import { type Route, serve } from '../../http/route.ts'
import { listManagedMemberships, mergeManagedMembership } from './merge.ts'

export const managedMembershipRoutes: Route[] = [
	serve(contract.listManagedMemberships, async ({ deps, caller }) => ({
		data: await listManagedMemberships(deps, caller),
	})),

	serve(contract.mergeManagedMembership, async ({ deps, caller, params: { memberId } }) => ({
		data: await mergeManagedMembership(deps, caller, memberId),
	})),
]
