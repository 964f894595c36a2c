import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { TaskKind } from '#schema/contract/tasks.ts'
import { tasks } from '#schema/tables/transcoding.ts'
import type { Db } from '../platform/database.ts'
import { isOpen, lanesTable } from './lanes.ts'
import { MAX_ATTEMPTS, MAX_EXPIRIES } from './retry.ts'

export type TaskRow = typeof tasks.$inferSelect

type Claim = {
	machineId: string
	tokenVersion: number
	kinds: readonly TaskKind[]
	/** Sources that the machine has on its disk. */
	sources: readonly string[]
	now: number
	leaseMs: number
}

/** It waits and its time has come, or its lease ran out; and it did not bring down too many machines yet. */
const mayBeTaken = (now: number): SQL =>
	sql`task.due_at <= ${now} and task.attempts < ${MAX_ATTEMPTS} and (task.state = 'queued' or task.expiries < ${MAX_EXPIRIES - 1})`

/** A lane names a kind and the encoders that a machine must have proved. */
const laneSuits = (lane: SQL, kinds: string): SQL =>
	sql`${lane} ->> 0 in (select value from json_each(${kinds})) and not exists (
		select 1 from json_each(${lane}) as needed where needed.key > 0 and needed.value not in (select name from proved)
	)`

/** Asked in the statement itself: it may have been evicted, or have left, since it was let in. */
const mayWork = ({ machineId, tokenVersion }: Claim): SQL =>
	sql`exists (select 1 from machines as claimant where claimant.id = ${machineId}
		and claimant.token_version = ${tokenVersion} and claimant.paused_at is null)`

/**
 * The whole decision in one statement, so that no two machines are given the same. Of each lane that suits it looks at
 * the first task: what it costs grows with the number of organizations that wait, not with their videos.
 *
 * First the organization with the fewest running tasks, then the smaller rank, then what the machine has the source
 * of, then the oldest.
 */
export function claimTask(db: Db, claim: Claim) {
	const { machineId, kinds, sources, now, leaseMs } = claim
	const asked = JSON.stringify(kinds)
	const inOrder = sql.raw('order by task.rank, task.created_at, task.id limit 1')
	const chosen = sql`
		with recursive proved(name) as materialized (
			select encoder.value from machines, json_each(machines.capabilities, '$.encoders') as encoder where machines.id = ${machineId}
		),
		${lanesTable},
		heads(task_rowid, is_here) as (
			select (
				select task.rowid from tasks as task
				where ${isOpen} and task.org_id = lanes.org_id and task.lane = lanes.lane and ${mayBeTaken(now)} ${inOrder}
			), 0 from lanes where ${laneSuits(sql.raw('lanes.lane'), asked)}
			union all
			select (
				select task.rowid from tasks as task
				where ${isOpen} and task.source_id = source.value and ${mayBeTaken(now)} and ${laneSuits(sql.raw('task.lane'), asked)} ${inOrder}
			), 1 from json_each(${JSON.stringify(sources)}) as source
		)
		select head.id from heads join tasks as head on head.rowid = heads.task_rowid
		order by (select count(*) from tasks as busy where busy.state = 'running' and busy.org_id = head.org_id),
			head.rank, heads.is_here desc, head.created_at, head.id
		limit 1`
	return db
		.update(tasks)
		.set({
			state: 'running',
			epoch: sql`${tasks.epoch} + 1`,
			attempts: sql`${tasks.attempts} + 1`,
			expiries: sql`${tasks.expiries} + (${tasks.state} = 'running')`,
			machineId,
			dueAt: now + leaseMs,
			deadlineAt: sql`${now} + ${tasks.deadlineSec} * 1000`,
			startedAt: now,
			progress: 0,
		})
		.where(and(eq(tasks.id, sql`(${chosen})`), mayWork(claim)))
		.returning()
}
