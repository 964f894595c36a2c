import { type SQL, sql } from 'drizzle-orm'
import { usageCounters } from '#schema/tables/accounts/identity.ts'
import { DAY, MINUTE, toUtcMonth } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'

/** Sums the encoded duration of this month and the known durations of unfinished jobs. */
export const sumEncodedMs = (orgId: string, now: number) => sql<number>`(
	coalesce(
		(
			select counter.value from usage_counters as counter
			where counter.org_id = ${orgId}
				and counter.period = ${toUtcMonth(now)}
				and counter.metric = 'encode_ms'
		),
		0
	) + coalesce(
		(
			select sum(job.duration_sec) * 1000 from jobs as job
			join assets as asset on asset.id = job.asset_id
			where job.org_id = ${orgId}
				and job.created_at > ${now - 31 * DAY}
				and job.status in ('queued', 'processing')
		),
		0
	)
)`

/** Returns the minutes that an organization has encoded this month, with those of unfinished jobs. */
export async function findEncodedMinutes(db: Db, orgId: string, now: number): Promise<number> {
	const [row] = await db.select({ ms: sumEncodedMs(orgId, now).as('ms') }).from(sql`(select 1) as one`)
	return (row?.ms ?? 0) / MINUTE
}

export function countEncodedStatement(
	db: Db,
	orgId: string,
	durationSec: number,
	now: number,
	condition: SQL,
) {
	const ms = Math.round(durationSec * 1_000)
	return insertSelect(
		db,
		usageCounters,
		{ orgId, metric: 'encode_ms', period: toUtcMonth(now), value: ms },
		sql`where ${condition}`,
	).onConflictDoUpdate({
		target: [usageCounters.orgId, usageCounters.period, usageCounters.metric],
		set: { value: sql`${usageCounters.value} + ${ms}` },
	})
}
