import { features } from './features.ts'
import { type Cron, crons, type Feature, type Schedule } from './http/feature.ts'
import { scheduledRuns } from './operations/diagnostics/metrics/runtime-metrics.ts'
import type { Deps } from './platform/deps.ts'
import { incrementCounter } from './platform/metrics/count.ts'
import { relayRecorded } from './platform/outbox/relay.ts'
import { readGuardState } from './platform/rewind/guard.ts'
import { type DueRows, findDue } from './platform/work/due-rows.ts'
import { collectSchedules } from './schedules.ts'

export const cronExpressions: readonly Cron[] = Object.values(crons)

/**
 * Runs every task of the expression, even after a failure, and then fails the run. Tasks that change data wait for
 * the repair of a restored database. One statement finds the tasks with due rows.
 */
export async function runScheduled(
	cron: string,
	deps: Deps,
	among: readonly Feature[] = features,
): Promise<void> {
	const tasks = collectSchedules(among).filter((task) => task.cron === cron)
	if (tasks.length === 0) throw new Error(`no task for the cron expression ${cron}`)
	const failures: unknown[] = []
	const all = tasks.flatMap(({ due = [] }) => due)
	let found: Promise<Set<DueRows>> | undefined
	const findOnce = () => (found ??= findDue(deps.db, all, deps.now))
	const hasWork = async ({ due }: Schedule): Promise<boolean> => {
		const dueRows = due && (await findOnce())
		return !dueRows || due.some((rows) => dueRows.has(rows))
	}
	for (const task of tasks) {
		try {
			if (!task.runsDuringRepair && (await readGuardState(deps)) !== 'current') continue
			if (await hasWork(task)) await task.run(deps)
			incrementCounter(deps, scheduledRuns, { task: task.name, outcome: 'done' })
		} catch (error) {
			deps.log.error('scheduled task failed', error, { task: task.name, cron })
			incrementCounter(deps, scheduledRuns, { task: task.name, outcome: 'failed' })
			failures.push(error)
		}
		relayRecorded(deps)
	}
	if (failures.length > 0) throw new AggregateError(failures, `${failures.length} scheduled tasks failed`)
}
