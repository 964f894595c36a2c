import type { OrgUsage } from '#schema/contract/platform/orgs.ts'
import { tiers } from '#schema/contract/platform/tiers.ts'
import { iso, MINUTE } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { orgNotFoundError } from '../orgs.ts'
import { orgStore } from '../store.ts'
import { viewDelivery } from './delivered.ts'

/** Returns what an organization used this month (UTC), and what its tier allows. */
export async function getUsage(deps: Deps, orgId: string): Promise<OrgUsage> {
	const today = new Date(deps.now)
	const from = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1)
	const to = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 1)
	const month = iso(from).slice(0, 7)
	const [row, delivered] = await Promise.all([
		orgStore(deps.db).usage(orgId, month),
		deps.contributions.deliveredMs(deps, orgId, month),
	])
	const delivery = delivered && viewDelivery(delivered)
	if (!row) throw orgNotFoundError()
	return {
		tier: row.tier,
		period: { from: iso(from), to: iso(to) },
		used: {
			encodeMinutesPerMonth: row.encodeMs / MINUTE,
			storageBytes: row.storageBytes,
			deliveryMinutesPerMonth: delivery?.total ?? 0,
			apiKeys: row.apiKeys,
			members: row.members,
		},
		delivery,
		limits: tiers[row.tier],
	}
}
