import { sql } from 'drizzle-orm'
import { urgencies } from '#schema/contract/kit/event.ts'
import { HOUR } from '../../platform/clock.ts'
import type { Gauge, Metric } from '../../platform/metrics/metric.ts'

export const eventsWaiting = {
	type: 'gauge',
	name: 'playhouse_outbox_waiting',
	help: 'Recorded events that are not handled yet.',
	labels: { urgency: urgencies },
	query: () => sql`
		select each.value as urgency,
			(select count(*) from outbox where outbox.urgency = each.key and outbox.done_at is null) as value
		from json_each(${JSON.stringify(urgencies)}) as each`,
} as const satisfies Gauge

export const oldestEvent = {
	type: 'gauge',
	name: 'playhouse_outbox_oldest_seconds',
	help: 'Age of the oldest event that is not handled yet; 0 if there is none.',
	labels: {},
	isInstant: true,
	query: () => sql`select min(created_at) as value from outbox where done_at is null`,
} as const satisfies Gauge

export const unsentDeadLetters = {
	type: 'gauge',
	name: 'playhouse_dead_letters',
	help: 'Messages that failed for good and that nobody has sent again.',
	labels: {},
	query: () => sql`select count(*) as value from dead_letters where retried_at is null`,
} as const satisfies Gauge

export const backgroundMetrics = [
	eventsWaiting,
	oldestEvent,
	unsentDeadLetters,
	{
		type: 'gauge',
		name: 'playhouse_storage_purges_overdue',
		help: 'Deletions of stored files that have been due for more than an hour.',
		labels: {},
		query: (now) => sql`select count(*) as value from storage_purges where due_at < ${now - HOUR}`,
	},
] as const satisfies readonly Metric[]
