import { PROVIDER_LANE } from '../../../video/transcoding/plan/lanes.ts'
import type { ChosenEngine } from '../../../video/transcoding/speech/speech-tasks.ts'
import type { TaskRow } from '../../../video/transcoding/store/task-row.ts'

type Task = Pick<TaskRow, 'kind' | 'jobId' | 'lane' | 'state' | 'spec' | 'result'>

/** Whether a provider can resume an earlier run, so that no chunk is paid twice. */
export function isResumable(
	tasks: readonly Task[],
	job: { id: string },
	chosen: ChosenEngine | null,
): boolean {
	const plan = tasks.find(({ kind }) => kind === 'speech-plan')
	const chunks = tasks.filter(({ kind }) => kind === 'transcribe')
	return (
		chosen?.lane === PROVIDER_LANE &&
		plan?.jobId === job.id &&
		plan.result?.kind === 'speech-plan' &&
		plan.result.chunks.length === chunks.length &&
		chunks.some(({ state }) => state === 'done') &&
		chunks.every(
			({ lane, spec }) =>
				lane === PROVIDER_LANE &&
				spec.kind === 'transcribe' &&
				spec.engine === chosen.engine &&
				spec.language === chosen.language,
		)
	)
}
