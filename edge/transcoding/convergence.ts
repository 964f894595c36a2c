import type { BatchItem } from 'drizzle-orm/batch'
import type { AssetRow } from '../assets/store.ts'
import type { Deps } from '../platform/deps.ts'
import { type Convergence, converge } from './converge.ts'
import { failJob } from './failing.ts'
import { type JobRow, jobStore } from './job-store.ts'
import { type TaskRow, taskStore } from './task-store.ts'
import { wakeFleet } from './wake.ts'

/** True if something is to be made again, or nothing at all any more: there is nothing to publish then. */
export async function convergeJob(
	deps: Deps,
	job: JobRow,
	asset: AssetRow,
	rows: readonly TaskRow[],
): Promise<boolean> {
	const found = converge(job.encoders ?? {}, rows)
	if (found.state === 'fits') return false
	if (found.state === 'hopeless')
		await failJob(deps, { task: null, job, asset }, { message: found.message, note: null })
	else await remakeTasks(deps, job, found)
	return true
}

export async function remakeTasks(
	deps: Deps,
	job: Pick<JobRow, 'id'>,
	{ pins, changes }: Extract<Convergence, { state: 'remake' }>,
): Promise<void> {
	const { db, now } = deps
	deps.log.info('tasks are to be made by other encoders', { jobId: job.id, tasks: changes.length })
	await db.batch([
		jobStore(db).repin(job.id, { ...pins }, now),
		...(taskStore(db).respecify(changes, now) as BatchItem<'sqlite'>[]),
	])
	deps.defer(wakeFleet(deps))
}
