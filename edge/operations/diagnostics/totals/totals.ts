import { AssetStatus } from '#schema/contract/video/assets.ts'
import { MINUTE, toIso } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { findMetrics } from '../../../platform/metrics/metrics-stub.ts'
import { type AssetSums, type StoredSums, totalsStore } from './store.ts'

/** A little less than an hour, so that every sixth run of the schedule measures. */
const MEASURED_EACH_MS = 55 * MINUTE

export type Totals = {
	measuredAt: number
	organizations: number
	users: number
	assets: Record<AssetStatus, number>
	sourceBytes: number
	mediaBytes: number
	durationSec: number
}

/** Returns the totals that were measured last; null before the first time. */
export const findTotals = async ({ env }: Pick<Deps, 'env'>): Promise<Totals | null> =>
	(await findMetrics(env)?.totals()) ?? null

/** Counts the rows of the installation, each hour. Requests read the result, since counting walks whole tables. */
export async function measureTotals(deps: Deps): Promise<void> {
	const { db, env, now } = deps
	const object = findMetrics(env)
	if (!object) return
	const before = await findTotals(deps)
	if (before && now - before.measuredAt < MEASURED_EACH_MS) return
	const store = totalsStore(db)
	const organizations = await store.countOrgs()
	const users = await store.countUsers()
	const assets = await store.sumAssets()
	const trash = await store.sumTrash()
	await object.keepTotals(totalsOf({ measuredAt: now, organizations, users }, assets, trash))
}

function totalsOf(
	counts: Pick<Totals, 'measuredAt' | 'organizations' | 'users'>,
	parts: readonly AssetSums[],
	trash: readonly StoredSums[],
): Totals {
	const sum = (of: (part: AssetSums) => number) => parts.reduce((total, part) => total + of(part), 0)
	const sumStored = (of: (part: StoredSums) => number) =>
		[...parts, ...trash].reduce((total, part) => total + of(part), 0)
	return {
		...counts,
		assets: Object.fromEntries(
			AssetStatus.options.map((status) => [status, sum((part) => (part.status === status ? part.count : 0))]),
		) as Totals['assets'],
		sourceBytes: sumStored((part) => part.sourceBytes),
		mediaBytes: sumStored((part) => part.mediaBytes),
		durationSec: sum((part) => part.durationSec),
	}
}

export const viewTotals = ({ measuredAt, organizations, users, assets, ...sums }: Totals) => ({
	measuredAt: toIso(measuredAt),
	organizations,
	users,
	assets: { total: Object.values(assets).reduce((total, count) => total + count, 0), byStatus: assets },
	storage: { sourceBytes: sums.sourceBytes, mediaBytes: sums.mediaBytes },
	videoMinutes: sums.durationSec / 60,
})
