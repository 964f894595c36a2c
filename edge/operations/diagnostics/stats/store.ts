import { sql } from 'drizzle-orm'
import type { Db } from '../../../platform/database/database.ts'

export type WorkerRow = {
	id: string
	name: string | null
	running: number
	done: number
	failures: number
	workSec: number
	mediaSec: number
	encodeWorkSec: number
	encodeMediaSec: number
	busySec: number
	hourlyPriceMicros: number | null
	done1h: number
	failures1h: number
	workSec1h: number
}
export type RunningRow = {
	id: string
	machineId: string
	kind: string
	jobId: string
	assetId: string
	progress: number
	startedAt: number
}

export type FailureRow = {
	machineId: string
	taskId: string
	assetId: string
	kind: string
	reason: 'permanent' | 'transient' | 'expired'
	message: string
	at: number
}

export const statsStore = (db: Db) => ({
	async sumDone(since: number): Promise<{ done: number; workSec: number; mediaSec: number }> {
		return db.get(sql`
			select count(*) as "done", coalesce(sum(work_sec), 0) as "workSec",
				coalesce(sum(media_sec), 0) as "mediaSec"
			from tasks
			where state = 'done' and ended_at > ${since}
		`)
	},

	/** Reads the work since `since`, and of that the work since `hourAgo`, which costs no further rows. */
	async readWorkers(since: number, hourAgo: number): Promise<WorkerRow[]> {
		return db.all<WorkerRow>(sql`
			with did as (
				select machine_id as id, count(*) as done, coalesce(sum(work_sec), 0) as work_sec,
					coalesce(sum(media_sec), 0) as media_sec,
					coalesce(sum(iif(kind = 'video', work_sec, 0)), 0) as encode_work_sec,
					coalesce(sum(iif(kind = 'video', media_sec, 0)), 0) as encode_media_sec,
					sum(ended_at > ${hourAgo}) as done_1h,
					coalesce(sum(iif(ended_at > ${hourAgo}, work_sec, 0)), 0) as work_sec_1h
				from tasks
				where state = 'done' and ended_at > ${since}
				group by machine_id
			),
				worked as (
					select id,
						sum(max(0, ended_at - max(started_at, ${since}, coalesce(ended_before, 0)))) / 1000.0 as busy_sec
					from (
						select machine_id as id, started_at, ended_at,
							max(ended_at) over (
								partition by machine_id
								order by started_at, task.id rows between unbounded preceding and 1 preceding
							) as ended_before
						from tasks as task
						where state = 'done' and ended_at > ${since}
					)
					group by id
				),
				busy as (
					select machine_id as id, count(*) as running from tasks where state = 'running' group by machine_id
				),
				failed as (
					select machine_id as id, count(*) as failures, sum(created_at > ${hourAgo}) as failures_1h
					from task_failures
					where created_at > ${since}
					group by machine_id
				),
				known as (
					select id, name, hourly_price_micros from machines
					union
					select id, null, null from did
					where id not in (select id from machines)
				)
			select known.id as "id", known.name as "name", coalesce(busy.running, 0) as "running",
				coalesce(did.done, 0) as "done", coalesce(failed.failures, 0) as "failures",
				coalesce(did.work_sec, 0) as "workSec", coalesce(did.media_sec, 0) as "mediaSec",
				coalesce(did.encode_work_sec, 0) as "encodeWorkSec",
				coalesce(did.encode_media_sec, 0) as "encodeMediaSec", coalesce(worked.busy_sec, 0) as "busySec",
				known.hourly_price_micros as "hourlyPriceMicros", coalesce(did.done_1h, 0) as "done1h",
				coalesce(failed.failures_1h, 0) as "failures1h", coalesce(did.work_sec_1h, 0) as "workSec1h"
			from known
			left join did on did.id = known.id
			left join worked on worked.id = known.id
			left join busy on busy.id = known.id
			left join failed on failed.id = known.id
			where known.id is not null
			order by coalesce(did.media_sec, 0) desc, known.id limit 1000
		`)
	},

	/** Lists the newest failures of each machine, at most `each` per machine. */
	async listFailures(since: number, each: number): Promise<FailureRow[]> {
		return db.all<FailureRow>(sql`
			select machine_id as "machineId", task_id as "taskId", asset_id as "assetId", kind as "kind",
				reason as "reason", message as "message", created_at as "at"
			from (
				select *, row_number() over (partition by machine_id order by created_at desc, task_id) as place
				from task_failures
				where created_at > ${since} and machine_id is not null
			)
			where place <= ${each}
			order by created_at desc, task_id
		`)
	},

	async listRunning(): Promise<RunningRow[]> {
		return db.all<RunningRow>(
			sql`
				select id as "id", machine_id as "machineId", kind as "kind", job_id as "jobId",
					asset_id as "assetId", progress as "progress", started_at as "startedAt"
				from tasks
				where state = 'running'
				order by started_at limit 1000
			`,
		)
	},
})
