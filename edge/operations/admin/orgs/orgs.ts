import type { TierName } from '#schema/contract/accounts/tiers.ts'
import { orgNotFoundError } from '../../../accounts/orgs/orgs.ts'
import { AppError } from '../../../http/errors.ts'
import { DAY, toUtcMonth } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { adminOrgStore } from './store.ts'

const LONGEST_OVERRIDE_MS = 3_660 * DAY

type TierChange = { tier: TierName; reason: string; until: string } | { tier: null }

export async function getAnyOrg({ db, now }: Deps, id: string) {
	const row = await adminOrgStore(db).find(id, toUtcMonth(now))
	if (!row) throw orgNotFoundError()
	return row
}

export async function changeTier(deps: Deps, id: string, change: TierChange) {
	const override = change.tier === null ? null : { ...change, until: Date.parse(change.until) }
	if (override && override.until <= deps.now)
		throw new AppError('validation', 'until: is in the past; choose a later time')
	if (override && override.until > deps.now + LONGEST_OVERRIDE_MS)
		throw new AppError('validation', 'until: must be within ten years')
	await adminOrgStore(deps.db).overrideTier(deps.work, id, override)
	return getAnyOrg(deps, id)
}
