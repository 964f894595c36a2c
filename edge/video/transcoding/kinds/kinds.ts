import type { TaskKind, TaskResult, TaskSpec } from '#schema/contract/video/tasks.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { TaskRow } from '../store/task-row.ts'
import type { FoundTask } from '../store/task-store.ts'
import { clip } from './clip.ts'
import { download } from './download.ts'
import type { Failing, Kind } from './kind.ts'
import { createJobOutcomes, isAlwaysDue, isDueAfterLast, isDueAfterLastOrFallback } from './part-of-job.ts'
import { poster } from './poster.ts'
import { speechPlan, transcribe } from './speech.ts'

const kinds: { [K in TaskKind]: Kind<K> } = {
	fetch: createJobOutcomes(isAlwaysDue),
	inspect: createJobOutcomes(isAlwaysDue),
	remux: createJobOutcomes(isDueAfterLast),
	video: createJobOutcomes(isDueAfterLastOrFallback),
	audio: createJobOutcomes(isDueAfterLast),
	stills: createJobOutcomes(isDueAfterLast),
	download,
	'speech-plan': speechPlan,
	transcribe,
	clip,
	poster,
}

/** Casting is safe: `findResultProblem` checks that spec and result are of the same kind. */
const findKind = (kind: TaskKind) => kinds[kind] as Kind<TaskKind>

export const acceptResult = (deps: Deps, found: FoundTask, result: TaskResult) =>
	findKind(result.kind).accept(deps, found, found.task.spec, result)

export const failTaskFinally = (deps: Deps, failing: Failing, message: string) =>
	findKind(failing.task.kind).fail(deps, failing, message)

export const addUrlsToSpec = async (deps: Deps, task: TaskRow, expiresSeconds: number): Promise<TaskSpec> =>
	(await findKind(task.kind).withUrls?.(deps, task, task.spec, expiresSeconds)) ?? task.spec
