import { type SQL, sql } from 'drizzle-orm'
import type { TaskKind } from '#schema/contract/video/tasks.ts'
import { batch } from '../../../platform/database/batch.ts'
import { failJob, omitCodec } from '../jobs/failing.ts'
import { findAdditionalCodec } from '../plan/ranks.ts'
import { hasOpenInTier, jobStore } from '../store/job-store.ts'
import { type FoundTask, taskStore } from '../store/task-store.ts'
import type { DueCondition, Outcomes } from './kind.ts'

/** Outcomes of tasks that a job waits for. A failure fails the job, or omits the codec. */
export const createJobOutcomes = <K extends TaskKind>(isDue: DueCondition<K>): Outcomes<K> => ({
	async accept({ db, now }, found, spec, result) {
		const { task, job } = found
		const { hwAccelUsed } = result
		const { taskFinished, workRecorded } = await batch(db, {
			taskFinished: taskStore(db).finishStatement(task.id, task.epoch, result, now),
			workRecorded: jobStore(db).recordWorkIfChangedStatement(
				job.id,
				{ machineId: task.machineId, hwAccelUsed },
				isDue(found, spec, result),
				now,
			),
		})
		return { isDone: taskFinished.length === 1, isJobDue: Boolean(workRecorded[0]?.isDue) }
	},

	async fail(deps, { job, asset, ...failed }, message) {
		const codec = findAdditionalCodec(failed.task)
		await (codec
			? omitCodec(deps, job.id, codec, message, failed)
			: failJob(deps, { job, asset }, message, failed))
	},
})

export const isAlwaysDue = () => sql`1`

/** Chunks advance their job only when the last one of them is complete. */
export const isDueAfterLast = ({ task, job }: FoundTask): SQL =>
	sql`not ${hasOpenInTier(task.jobId, task.rank, job.playback === 'early' ? task.kind : undefined)}`

/** Advances the job at once if a machine fell back to another encoder than the requested one. */
export const isDueAfterLastOrFallback: DueCondition<'video'> = (found, spec, result) =>
	result.rungs.some((output, i) => spec.rungs[i]?.encoder !== output.encoder) ? sql`1` : isDueAfterLast(found)
