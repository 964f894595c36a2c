import { type SQL, sql } from 'drizzle-orm'

/** Text of the indexes' own condition: SQLite uses them only where a query repeats it. */
export const isOpen = sql.raw(`task.state in ('queued', 'running')`)

/**
 * A table `lanes(org_id, lane)` for a `with recursive`: what kinds of work wait, for each organization. It goes from
 * one to the next by the index (a loose scan), so that it costs what there are lanes, not what there are tasks. In two
 * steps, as SQLite seeks by the first column only of a row value that is compared to a recursive table's.
 */
export const lanesTable: SQL = sql`
	lanes(org_id, lane) as (
		select * from (select task.org_id, task.lane from tasks as task where ${isOpen} order by task.org_id, task.lane limit 1)
		union all
		select following.org_id, following.lane from lanes join tasks as following on following.rowid = coalesce(
			(select task.rowid from tasks as task where ${isOpen} and task.org_id = lanes.org_id and task.lane > lanes.lane order by task.lane limit 1),
			(select task.rowid from tasks as task where ${isOpen} and task.org_id > lanes.org_id order by task.org_id, task.lane limit 1)
		)
	)`
