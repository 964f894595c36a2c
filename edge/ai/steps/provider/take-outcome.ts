import { AppError } from '../../../http/errors.ts'
import { HOUR, MINUTE } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { computeBackoffMs } from '../../../platform/work/backoff.ts'
import { completeTask } from '../../../video/transcoding/machine-api/complete.ts'
import { failTask } from '../../../video/transcoding/machine-api/leases.ts'
import { findResultProblem } from '../../../video/transcoding/plan/result-problem.ts'
import { MAX_ATTEMPTS } from '../../../video/transcoding/plan/retry.ts'
import { findClaimedChunk, postponeChunk } from '../../../video/transcoding/speech/provider-chunks.ts'
import type { TaskRow } from '../../../video/transcoding/store/task-row.ts'
import type { ProviderOutcome } from '../../providers/calls/outcome.ts'
import { toTaskResult } from './result-of.ts'

type RetryOutcome = Extract<ProviderOutcome, { state: 'retry' }>

const WAIT = { firstMs: MINUTE, maxMs: HOUR }

/**
 * Decides when to retry a chunk: after 1, 4 and 16 minutes, or later if the provider asks; null to stop. Without a
 * call, or when the provider throttles, no attempt is charged; the sweep ends the wait after a day.
 */
function retryAfter(
	{ code, afterMs }: Pick<RetryOutcome, 'code' | 'afterMs'>,
	attempts: number,
): { ms: number; isCharged: boolean } | null {
	const isCharged = code !== null && code !== 'rate_limited'
	if (isCharged && attempts >= MAX_ATTEMPTS) return null
	// Two doublings per attempt.
	const ms = isCharged ? computeBackoffMs(WAIT, 2 * (attempts - 1)) : 0
	return { ms: Math.min(Math.max(afterMs, ms), WAIT.maxMs), isCharged }
}

/** Records the outcome of a call as if a machine had sent it. Ignores outcomes of older claims and duplicates. */
export async function recordTranscription(
	deps: Deps,
	{ subject, epoch }: { subject: string; epoch: number },
	outcome: ProviderOutcome,
): Promise<void> {
	const task = await findClaimedChunk(deps, subject, epoch)
	if (!task) return
	try {
		switch (outcome.state) {
			case 'waiting':
				return
			case 'completed':
				return await complete(deps, task, outcome)
			case 'retry':
				return await retry(deps, task, outcome)
			default:
				return await fail(deps, task, outcome.reason)
		}
	} catch (error) {
		// Another delivery of the same outcome was first, or the video was deleted.
		if (!(error instanceof AppError && (error.code === 'gone' || error.code === 'conflict'))) throw error
	}
}

const holderOf = ({ id, epoch }: TaskRow) => ({ taskId: id, epoch, machineId: null })

async function complete(
	deps: Deps,
	task: TaskRow,
	outcome: Extract<ProviderOutcome, { state: 'completed' }>,
): Promise<void> {
	const result = toTaskResult(task, outcome, deps.clock())
	const problem = result === null ? 'it has too much text' : findResultProblem(task.spec, result)
	if (result === null || problem !== null)
		return fail(deps, task, `the answer of the provider can't be used: ${problem}`)
	await completeTask(deps, holderOf(task), result)
}

const fail = (deps: Deps, task: TaskRow, message: string): Promise<void> =>
	failTask(deps, holderOf(task), { reason: 'permanent', message })

async function retry(deps: Deps, task: TaskRow, outcome: RetryOutcome): Promise<void> {
	const next = retryAfter(outcome, task.attempts)
	if (next === null) return fail(deps, task, outcome.reason)
	const how = next.isCharged ? 'failed' : 'released'
	await postponeChunk(deps, task, { ms: next.ms, how, message: outcome.reason })
}
