import type { DeliveredMs } from '../../../accounts/orgs/usage/delivered.ts'
import { AppError } from '../../../http/errors.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { Bindings } from '../../../platform/env.ts'
import type { OrgAnalytics } from './org-object.ts'

export function findOrgAnalytics(
	bindings: Pick<Bindings, 'ORG_ANALYTICS'>,
	orgId: string,
): DurableObjectStub<OrgAnalytics> | null {
	const namespace = bindings.ORG_ANALYTICS as DurableObjectNamespace<OrgAnalytics> | undefined
	return namespace ? namespace.getByName(orgId) : null
}

export const readDeliveredMs = async (
	{ env }: Pick<Deps, 'env'>,
	orgId: string,
	month: string,
): Promise<DeliveredMs | null> => (await findOrgAnalytics(env.bindings, orgId)?.delivered(month)) ?? null

export const countViews = async (
	{ env }: Pick<Deps, 'env'>,
	orgId: string,
	playbackIds: readonly string[],
): Promise<Record<string, number> | null> =>
	(await findOrgAnalytics(env.bindings, orgId)?.views([...playbackIds])) ?? null

export function requireOrgAnalytics(
	bindings: Pick<Bindings, 'ORG_ANALYTICS'>,
	orgId: string,
): DurableObjectStub<OrgAnalytics> {
	const org = findOrgAnalytics(bindings, orgId)
	if (!org) throw new AppError('not_configured', 'analytics are not set up: bind ORG_ANALYTICS')
	return org
}
