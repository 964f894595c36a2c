import { type SQL, sql } from 'drizzle-orm'

/** Repeats the condition of the partial indexes, since SQLite uses them only for a query that includes it. */
export const isOpen = sql.raw(`task.state in ('queued', 'running')`)

/**
 * SQL condition: the organization is not suspended; with an unpaid bill, it may only finish jobs (a job starts with a
 * fetch or an inspection).
 */
export const mayLaneRun = (orgId: SQL, lane: SQL): SQL =>
	sql`exists (select 1 from orgs as payer where payer.id = ${orgId} and payer.suspended_at is null
		and (payer.suspension_reasons = '[]' or ${lane} ->> 0 not in ('fetch', 'inspect')))`

/**
 * A table `lanes(org_id, lane)` for a `with recursive`: the lanes with open tasks of each organization. It is a loose
 * index scan, so the cost grows with the lanes, not the tasks. The seek has two steps, because SQLite uses only the first
 * column of a row value that is compared to a recursive table.
 */
export const lanesTable: SQL = sql`
	lanes(org_id, lane) as (
		select *
		from (
			select task.org_id, task.lane from tasks as task where ${isOpen} order by task.org_id, task.lane limit 1
		)
		union all
		select following.org_id, following.lane from lanes
		join tasks as following on following.rowid = coalesce(
			(
				select task.rowid from tasks as task
				where ${isOpen} and task.org_id = lanes.org_id and task.lane > lanes.lane
				order by task.lane limit 1
			),
			(
				select task.rowid from tasks as task
				where ${isOpen} and task.org_id > lanes.org_id
				order by task.org_id, task.lane limit 1
			)
		)
	)
`
