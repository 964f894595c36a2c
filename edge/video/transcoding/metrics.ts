import { sql } from 'drizzle-orm'
import { AiStep } from '#schema/contract/video/assets.ts'
import { TaskSpec } from '#schema/contract/video/tasks.ts'
import { DAY } from '../../platform/clock.ts'
import type { Counter, Gauge, Measure, Metric } from '../../platform/metrics/metric.ts'

const kinds = TaskSpec.options.map(({ shape }) => shape.kind.value)

export const attemptsEnded = {
	type: 'counter',
	name: 'playhouse_task_attempts_total',
	help: 'Attempts at tasks that ended; `expired` if the lease was lost.',
	labels: { kind: kinds, outcome: ['done', 'permanent', 'transient', 'expired', 'released'] },
} as const satisfies Counter

export const jobsEnded = {
	type: 'counter',
	name: 'playhouse_jobs_ended_total',
	help: 'Processings of videos that ended.',
	labels: { outcome: ['completed', 'failed', 'cancelled'] },
} as const satisfies Counter

const openJobs = {
	type: 'gauge',
	name: 'playhouse_jobs',
	help: 'Processings of videos that have not ended.',
	labels: { status: ['queued', 'processing'] },
	query: () =>
		sql`select status, count(*) as value from jobs where status in ('queued', 'processing') group by status`,
} as const satisfies Gauge

const openTasks = {
	type: 'gauge',
	name: 'playhouse_tasks',
	help: 'Tasks that wait for a machine or run on one.',
	labels: { kind: kinds, state: ['queued', 'running'] },
	query: () =>
		sql`
			select kind, state, count(*) as value from tasks
			where state in ('queued', 'running')
			group by kind, state
		`,
} as const satisfies Gauge

const oldestDueTask = {
	type: 'gauge',
	name: 'playhouse_queue_oldest_seconds',
	help: 'How long the oldest due task has waited for a machine; 0 if none waits.',
	labels: {},
	isInstant: true,
	// With the condition of the partial indexes, which SQLite does not derive from the state.
	query: (now) => sql`
		select min(due_at) as value from tasks
		where state in ('queued', 'running') and state = 'queued' and due_at <= ${now}`,
} as const satisfies Gauge

/** The queue of the fleet, and what ended within a day. */
export const fleetMeasures = {
	openJobs,
	openTasks,
	oldestDueTask,
	endedJobs: {
		labels: { status: ['completed', 'failed'] },
		query: (now) => sql`
			select status, count(*) as value from jobs
			where ended_at is not null and ended_at > ${now - DAY}
			group by status`,
	},
	failures: {
		labels: { reason: null },
		query: (now) =>
			sql`select reason, count(*) as value from task_failures where created_at > ${now - DAY} group by reason`,
	},
} as const satisfies Record<string, Measure>

export const transcodingMetrics = [
	attemptsEnded,
	jobsEnded,
	openJobs,
	openTasks,
	oldestDueTask,
	{
		type: 'gauge',
		name: 'playhouse_leases_overdue',
		help: 'Running tasks whose lease has ended, so that another machine may take them.',
		labels: {},
		query: (now) => sql`select count(*) as value from tasks where state = 'running' and due_at < ${now}`,
	},
	{
		type: 'gauge',
		name: 'playhouse_ai_steps',
		help: 'Steps after processing, such as subtitles, that have not ended.',
		labels: { step: AiStep.options, status: ['pending', 'processing'] },
		query: () =>
			sql`
				select step, status, count(*) as value from ai_steps
				where status in ('pending', 'processing')
				group by step, status
			`,
	},
] as const satisfies readonly Metric[]
