import { batch } from '../../../platform/database/batch.ts'
import { recordEventIfChangedStatement, recordEventIfStatement } from '../../../platform/outbox/outbox.ts'
import { failTask } from '../jobs/failing.ts'
import { hasFailed, taskStore } from '../store/task-store.ts'
import type { Kind, Outcomes } from './kind.ts'
import { presignReads } from './presign-reads.ts'
import { taskEndedEvent } from './task-ended-event.ts'

const speech = <K extends 'speech-plan' | 'transcribe'>(): Outcomes<K> => ({
	async accept({ db, work, now }, { task }, _spec, result) {
		const { taskFinished } = await batch(db, {
			taskFinished: taskStore(db).finishStatement(task.id, task.epoch, result, now),
			eventRecorded: recordEventIfChangedStatement(work, taskEndedEvent('asset.speech_task_ended', task)),
		})
		return { isDone: taskFinished.length === 1, isJobDue: false }
	},

	fail: (deps, failing) =>
		failTask(deps, failing, {
			eventRecorded: recordEventIfStatement(
				deps.work,
				taskEndedEvent('asset.speech_task_ended', failing.task),
				hasFailed(failing.task),
			),
		}),
})

export const speechPlan: Kind<'speech-plan'> = speech()

export const transcribe: Kind<'transcribe'> = {
	...speech(),

	/** The stored specification has the key of the chunk. */
	async withUrls(deps, _task, spec, expiresSeconds) {
		const [audio = ''] = await presignReads(deps, 'vault', expiresSeconds)([spec.audio])
		return { ...spec, audio }
	},
}
