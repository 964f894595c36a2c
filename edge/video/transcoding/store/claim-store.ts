import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { TaskKind } from '#schema/contract/video/tasks.ts'
import { tasks } from '#schema/tables/video/transcoding.ts'
import type { Db } from '../../../platform/database/database.ts'
import { MAX_ATTEMPTS, MAX_EXPIRIES } from '../plan/retry.ts'
import { isOpen, lanesTable, mayLaneRun } from './lanes.ts'

type Claim = {
	machineId: string
	tokenVersion: number
	kinds: readonly TaskKind[]
	/** Sources in the machine's cache. */
	sources: readonly string[]
	now: number
	leaseMs: number
}

/** SQL condition: the task is due or its lease expired, and not too many of its leases have expired. */
const isClaimable = (now: number): SQL =>
	sql`
		task.due_at <= ${now}
		and task.attempts < ${MAX_ATTEMPTS}
		and (task.state = 'queued' or task.expiries < ${MAX_EXPIRIES - 1})
	`

/** SQL condition: the machine supports this kind, and has proved every encoder, or the speech engine, of the lane. */
const canDoLane = (lane: SQL, kinds: string): SQL =>
	sql`
		${lane} ->> 0 in (select value from json_each(${kinds}))
		and not exists (
			select 1 from json_each(${lane}) as needed
			where needed.key > 0 and needed.value not in (select name from proved)
		)
	`

/** SQL condition: the machine was not evicted and has not left since it was authenticated. */
const canWork = ({ machineId, tokenVersion }: Claim): SQL =>
	sql`exists (select 1 from machines as claimant where claimant.id = ${machineId}
		and claimant.token_version = ${tokenVersion} and claimant.paused_at is null)`

/**
 * Claims the next task in one statement, so that no two machines get the same task. It compares only the first task of
 * each suitable lane. The cost grows with the number of waiting organizations, not with their videos.
 *
 * Order: fewest running tasks of the organization, lower rank, source in the machine's cache, oldest task.
 */
export function claimTaskStatement(db: Db, claim: Claim) {
	const { machineId, kinds, sources, now, leaseMs } = claim
	const kindsJson = JSON.stringify(kinds)
	const inOrder = sql.raw('order by task.rank, task.created_at, task.id limit 1')
	const chosen = sql`
		with recursive proved(name) as materialized (
			select encoder.value from machines, json_each(machines.capabilities, '$.encoders') as encoder
			where machines.id = ${machineId}
			union all
			select 'asr:' || (machines.capabilities ->> '$.speech.engine') || ':' || spoken.value
			from machines, json_each(machines.capabilities, '$.speech.languages') as spoken
			where machines.id = ${machineId}
		),
			${lanesTable},
			heads(task_rowid, is_here) as (
				select (
					select task.rowid from tasks as task
					where ${isOpen}
						and task.org_id = lanes.org_id
						and task.lane = lanes.lane
						and ${isClaimable(now)} ${inOrder}
				),
					0
				from lanes
				where ${canDoLane(sql.raw('lanes.lane'), kindsJson)}
					and ${mayLaneRun(sql.raw('lanes.org_id'), sql.raw('lanes.lane'))}
				union all
				select (
					select task.rowid from tasks as task
					where ${isOpen}
						and task.source_id = source.value
						and ${isClaimable(now)}
						and ${canDoLane(sql.raw('task.lane'), kindsJson)}
						and ${mayLaneRun(sql.raw('task.org_id'), sql.raw('task.lane'))} ${inOrder}
				),
					1
				from json_each(${JSON.stringify(sources)}) as source
			)
		select head.id from heads
		join tasks as head on head.rowid = heads.task_rowid
		order by (select count(*) from tasks as busy where busy.state = 'running' and busy.org_id = head.org_id),
			head.rank, heads.is_here desc, head.created_at, head.id
		limit 1
	`
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
		.where(and(eq(tasks.id, sql`(${chosen})`), canWork(claim)))
		.returning()
}
