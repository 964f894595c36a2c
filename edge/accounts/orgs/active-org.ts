import type { OrgContext } from '../../http/caller.ts'
import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import { deriveSuspension } from '../../platform/suspension.ts'
import { getOrg } from './orgs.ts'

/** Returns the organization for work that its members' requests don't start. Throws if the organization is suspended. */
export async function getActiveOrg(deps: Deps, orgId: string): Promise<OrgContext> {
	const org = await getOrg(deps, orgId)
	const suspension = deriveSuspension(org)
	if (suspension !== 'none') throw new AppError('org_suspended', 'this organization is suspended')
	return { id: org.id, slug: org.slug, tier: org.tier, suspension }
}
