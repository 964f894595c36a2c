import { DAY, MINUTE, startOfMonth, toUtcDay, toUtcMonth } from '../../../platform/clock.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Deps } from '../../../platform/deps.ts'
import { orgStore } from '../../orgs/store.ts'
import { viewDelivery } from '../../orgs/usage/view.ts'
import type { Provider } from '../provider.ts'
import { billingStore } from '../store.ts'
import { type Reading, type UsageRow, usageStore } from './usage-store.ts'

/** Deliveries of a month may arrive this long after its end. */
const MONTH_SETTLES_MS = 3 * DAY
/** Days that may still change. */
const REPORTED_MS = 5 * DAY

/**
 * Reads the totals of an organization with a subscription, and reports the minutes of the last days that changed. Each
 * report is the total of a day, so sending it again changes nothing.
 */
export async function meterUsage(deps: Deps, provider: Provider, orgId: string): Promise<void> {
	const { db, now } = deps
	const account = await billingStore(db).find(orgId)
	if (!account?.customerId || account.subscriptionId === null) return
	const store = usageStore(db)
	for (const { day, month } of listUnsettledMonths(now)) {
		const readings = await readTotals(deps, orgId, day, month)
		await batch(db, { recorded: readings.map((reading) => store.recordStatement(reading)) })
	}
	for (const row of await store.list(orgId, toUtcDay(now - REPORTED_MS))) {
		const minutes = toWholeMinutes(row)
		if (minutes === row.reportedMinutes) continue
		const { customerId } = account
		const dayStart = Date.parse(`${row.day}T00:00:00Z`)
		await provider.reportUsage({ customerId, metric: row.metric, dayStart, minutes })
		await store.markReported(row, minutes)
	}
}

/**
 * Returns the days that monthly totals are attributed to: today and, shortly after the end of a month, its last day,
 * so that the days of a month add up to its total.
 */
export function listUnsettledMonths(now: number): { day: string; month: string }[] {
	const today = { day: toUtcDay(now), month: toUtcMonth(now) }
	const first = startOfMonth(now)
	if (now - first >= MONTH_SETTLES_MS) return [today]
	const last = first - 1
	return [{ day: toUtcDay(last), month: toUtcMonth(last) }, today]
}

/** Returns the whole minutes of a day. Fractions are carried over, so that none is lost. */
export const toWholeMinutes = ({ startMs, endMs }: Pick<UsageRow, 'startMs' | 'endMs'>): number =>
	Math.max(0, Math.floor(endMs / MINUTE) - Math.floor(startMs / MINUTE))

async function readTotals(deps: Deps, orgId: string, day: string, month: string): Promise<Reading[]> {
	const [row, delivered] = await Promise.all([
		orgStore(deps.db).usage(orgId, month, deps.now),
		deps.contributions.deliveredMs(deps, orgId, month),
	])
	const deliveredMs = delivered && Math.round(viewDelivery(delivered).total * MINUTE)
	const reading = { orgId, day, isLate: month !== toUtcMonth(deps.now) }
	return [
		...(row ? [{ ...reading, metric: 'encode' as const, totalMs: row.encodeMs }] : []),
		...(deliveredMs === null ? [] : [{ ...reading, metric: 'delivery' as const, totalMs: deliveredMs }]),
	]
}
