import { sql } from 'drizzle-orm'
import { DAY } from '../../platform/clock.ts'
import type { Metric } from '../../platform/metrics/metric.ts'

/** Older backups are no longer a success. */
const LOOK_BACK_MS = 60 * DAY

/** A backup dated in the future was made while the clock was ahead, and would silence the alerts until then. */
const isRecent = (now: number) =>
	sql`started_at between ${now - LOOK_BACK_MS} and ${now + DAY} and coalesce(verified_at, 0) <= ${now + DAY}`

export const backupMetrics = [
	{
		type: 'gauge',
		name: 'playhouse_backup_last_success_timestamp_seconds',
		help: 'The instant whose state the newest backup holds; 0 if there is none.',
		labels: {},
		query: (now) => sql`
			select coalesce(max(snapshot_at), 0) / 1000 as value from backups
			where ${isRecent(now)} and state = 'completed'`,
	},
	{
		type: 'gauge',
		name: 'playhouse_backups_failed',
		help: 'Backups of the last seven days that failed.',
		labels: {},
		query: (now) =>
			sql`select count(*) as value from backups where started_at >= ${now - 7 * DAY} and state = 'failed'`,
	},
	{
		type: 'gauge',
		name: 'playhouse_backup_verified_timestamp_seconds',
		help: 'When a drill last succeeded; 0 if never.',
		labels: {},
		query: (now) =>
			sql`select coalesce(max(verified_at), 0) / 1000 as value from backups where ${isRecent(now)}`,
	},
	{
		type: 'gauge',
		name: 'playhouse_backup_restore_seconds',
		help: 'How long the restore of the last drill took.',
		labels: {},
		query: (now) => sql`
			select value from (
				select restore_seconds as value from backups
				where ${isRecent(now)} and restore_seconds is not null order by verified_at desc limit 1
			)`,
	},
	{
		type: 'gauge',
		name: 'playhouse_backup_drills_failed',
		help: 'Backups whose last drill failed within seven days, and since a drill succeeded.',
		labels: {},
		query: (now) => sql`
			select count(*) as value from backups
			where ${isRecent(now)} and drilled_at >= ${now - 7 * DAY} and drill_error is not null
				and drilled_at > (
					select coalesce(max(verified_at), 0) from backups where ${isRecent(now)}
				)`,
	},
] as const satisfies readonly Metric[]
