import { sql } from 'drizzle-orm'
import type { Db } from '../../platform/database/database.ts'

type FleetRow = {
	queuedJobs: number
	processingJobs: number
	completedJobs: number
	failedJobs: number
	done: number
	workSec: number
	mediaSec: number
	failures: number
	expired: number
	oldestQueuedAt: number | null
}
type KindRow = { kind: string; queued: number; running: number }
export type WorkerRow = {
	id: string
	name: string | null
	running: number
	done: number
	failures: number
	workSec: number
	mediaSec: number
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
	/** Returns the numbers for the fleet. Each uses its own index, and daily numbers read only rows of the last day. */
	async readFleet(since: number, now: number): Promise<{ fleet: FleetRow; kinds: KindRow[] }> {
		const [fleet] = await db.all<FleetRow>(sql`
			select waiting.queued as "queuedJobs", waiting.processing as "processingJobs",
				ended.completed as "completedJobs", ended.failed as "failedJobs",
				did.count as "done", did.work_sec as "workSec", did.media_sec as "mediaSec",
				failure.count as "failures", failure.expired as "expired",
				(select min(due_at) from tasks where state = 'queued' and due_at <= ${now}) as "oldestQueuedAt"
			from (select coalesce(sum(status = 'queued'), 0) as queued, coalesce(sum(status = 'processing'), 0) as processing
					from jobs where status in ('queued', 'processing')) as waiting,
				(select coalesce(sum(status = 'completed'), 0) as completed, coalesce(sum(status = 'failed'), 0) as failed
					from jobs where ended_at is not null and ended_at > ${since}) as ended,
				(select count(*) as count, coalesce(sum(work_sec), 0) as work_sec, coalesce(sum(media_sec), 0) as media_sec
					from tasks where state = 'done' and ended_at > ${since}) as did,
				(select count(*) as count, coalesce(sum(reason = 'expired'), 0) as expired
					from task_failures where created_at > ${since}) as failure`)
		const kinds = await db.all<KindRow>(
			sql`select kind, sum(state = 'queued') as queued, sum(state = 'running') as running from tasks where state in ('queued', 'running') group by kind order by kind`,
		)
		return { fleet: fleet as FleetRow, kinds }
	},

	async readWorkers(since: number): Promise<WorkerRow[]> {
		return db.all<WorkerRow>(sql`
			with did as (
				select machine_id as id, count(*) as done, coalesce(sum(work_sec), 0) as work_sec, coalesce(sum(media_sec), 0) as media_sec
				from tasks where state = 'done' and ended_at > ${since} group by machine_id
			),
			busy as (select machine_id as id, count(*) as running from tasks where state = 'running' group by machine_id),
			failed as (select machine_id as id, count(*) as failures from task_failures where created_at > ${since} group by machine_id),
			known as (select id, name from machines union select id, null from did where id not in (select id from machines))
			select known.id as "id", known.name as "name", coalesce(busy.running, 0) as "running", coalesce(did.done, 0) as "done",
				coalesce(failed.failures, 0) as "failures", coalesce(did.work_sec, 0) as "workSec", coalesce(did.media_sec, 0) as "mediaSec"
			from known left join did on did.id = known.id left join busy on busy.id = known.id left join failed on failed.id = known.id
			where known.id is not null order by coalesce(did.media_sec, 0) desc, known.id limit 1000`)
	},

	/** Lists the newest failures of each machine, at most `each` per machine. */
	async listFailures(since: number, each: number): Promise<FailureRow[]> {
		return db.all<FailureRow>(sql`
			select machine_id as "machineId", task_id as "taskId", asset_id as "assetId", kind as "kind", reason as "reason", message as "message", created_at as "at"
			from (
				select *, row_number() over (partition by machine_id order by created_at desc, task_id) as place
				from task_failures where created_at > ${since} and machine_id is not null
			) where place <= ${each} order by created_at desc, task_id`)
	},

	async listRunning(): Promise<RunningRow[]> {
		return db.all<RunningRow>(
			sql`select id as "id", machine_id as "machineId", kind as "kind", job_id as "jobId", asset_id as "assetId", progress as "progress", started_at as "startedAt"
				from tasks where state = 'running' order by started_at limit 1000`,
		)
	},
})
