import type { OrgUsage } from '#schema/contract/accounts/orgs.ts'
import { tiers } from '#schema/contract/accounts/tiers.ts'
import { MINUTE, startOfMonth, startOfNextMonth, toIso, toUtcMonth } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { orgNotFoundError } from '../orgs.ts'
import { orgStore } from '../store.ts'
import type { DeliveredMs } from './delivered.ts'
import { viewDelivery } from './view.ts'

/** Returns what an organization used this month (UTC), and what its tier allows. */
export async function getUsage(deps: Deps, orgId: string): Promise<OrgUsage> {
	const from = startOfMonth(deps.now)
	const to = startOfNextMonth(deps.now)
	const month = toUtcMonth(from)
	const [row, delivered] = await Promise.all([
		orgStore(deps.db).usage(orgId, month, deps.now),
		findDelivered(deps, orgId, month),
	])
	const delivery = delivered && viewDelivery(delivered)
	if (!row) throw orgNotFoundError()
	return {
		tier: row.tier,
		period: { from: toIso(from), to: toIso(to) },
		used: {
			encodeMinutesPerMonth: row.encodeMs / MINUTE,
			storageBytes: row.storageBytes,
			deliveryMinutesPerMonth: delivery?.total ?? null,
			apiKeys: row.apiKeys,
			members: row.members,
		},
		delivery,
		limits: tiers[row.tier],
	}
}

/** The remaining usage is available without the object that counts deliveries. */
async function findDelivered(deps: Deps, orgId: string, month: string): Promise<DeliveredMs | null> {
	try {
		return await deps.contributions.deliveredMs(deps, orgId, month)
	} catch (error) {
		deps.log.error('the minutes delivered for an organization could not be read', error)
		return null
	}
}
