import { TaskSpec } from '#schema/contract/video/tasks.ts'
import type { Activity } from '../run/activity.ts'

const kinds = TaskSpec.options.map(({ shape }) => shape.kind.value)

type Snapshot = Pick<
	Activity,
	'startedAt' | 'state' | 'isConnected' | 'slots' | 'running' | 'done' | 'failed' | 'cache'
>
type Metric = { name: string; type: 'counter' | 'gauge'; help: string; values: Record<string, number> }

/** Returns the activity of this machine in Prometheus's text format 0.0.4. */
export const renderMetrics = (activity: Snapshot): string => metricsOf(activity).map(textOf).join('')

function metricsOf({
	startedAt,
	state,
	isConnected,
	slots,
	running,
	done,
	failed,
	cache,
}: Snapshot): Metric[] {
	const gauge = (name: string, help: string, values: Record<string, number> | number): Metric => ({
		...{ name: `playhouse_daemon_${name}`, type: 'gauge', help },
		values: typeof values === 'number' ? { '': values } : values,
	})
	const countOf = (kind: string) => running.filter((task) => task.kind === kind).length
	const tasks = Object.fromEntries(kinds.map((kind) => [`{kind="${kind}"}`, countOf(kind)]))
	return [
		gauge('start_timestamp_seconds', 'When the daemon started.', Date.parse(startedAt) / 1_000),
		gauge(
			'connected',
			'Whether the socket to the edge is open; otherwise the daemon polls.',
			Number(isConnected),
		),
		gauge(
			'draining',
			'Whether the daemon takes no more tasks because it stops.',
			Number(state === 'draining'),
		),
		gauge('slots', 'How many video chunks are encoded at once.', slots),
		gauge('running_tasks', 'Running tasks.', tasks),
		{
			...{ name: 'playhouse_daemon_tasks_total', type: 'counter', help: 'Tasks that ended since the start.' },
			values: { '{outcome="done"}': done, '{outcome="failed"}': failed },
		},
		gauge('cache_bytes', 'Size of the cached sources.', cache.bytes),
		gauge('cache_capacity_bytes', 'How large they may become.', cache.capacityBytes),
		gauge('cache_sources', 'Cached sources.', cache.sources),
	]
}

function textOf({ name, type, help, values }: Metric): string {
	const lines = Object.entries(values).map(([labels, value]) => `${name}${labels} ${value}`)
	return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n')
}
