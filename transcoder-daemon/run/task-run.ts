import { completeTask, failTask, releaseTask } from '#schema/contract/video/leases.ts'
import type { TaskKind, TaskResult, TaskResultByKind, TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import { type Lease, type LeaseDeps, LeaseLostError } from '../edge/lease.ts'
import { requireKnownArguments } from '../ffmpeg/known-arguments.ts'
import { describeReason, type Log } from '../log.ts'
import { outputAddresses } from '../outputs/output-addresses.ts'
import { listExpectedNames } from '../outputs/output-names.ts'
import { createOutputs } from '../outputs/outputs.ts'
import { getObject, type Network } from '../outputs/storage.ts'
import type { SourceCache } from '../sources/source-cache.ts'
import type { SpeechEngine } from '../speech/engine.ts'
import type { TaskTable } from '../tasks/index.ts'
import type { Access, Programs, RunTask, TaskContext } from '../tasks/task.ts'
import { withAbortGrace } from './abort-grace.ts'
import type { ActivityBoard } from './activity.ts'
import { classifyFailure, isDiskFull, TemporaryError } from './failure.ts'
import { roundToHundredth, taskLog, toEffortFields } from './task-log.ts'
import type { WorkDirs } from './work-dirs.ts'

const RELEASE_MS = 4_000
/** The largest object that a task reads into memory. */
const OBJECT_BYTES = 512 * 1024 ** 2

export type TaskRunnerDeps = LeaseDeps & {
	tasks: TaskTable
	network: Network
	cache: SourceCache
	workDirs: WorkDirs
	programs: Pick<Programs, 'ffmpeg' | 'ffprobe'>
	confine(command: readonly string[], access: Access, deadlineSec: number): readonly string[]
	proved: TaskContext['proved']
	threads: number
	speech: SpeechEngine | null
	cores: number
	board: ActivityBoard
}

/** The machine stops, or lacks memory for the task now; another machine may start it again. */
export class StoppingError extends Error {
	override name = 'StoppingError'
}

/** Whether the machine had the resources: `disk-full` means no disk space. */
export type Ending = 'fit' | 'disk-full'

/** One task of this machine, from its claim to its end. */
export class TaskRun {
	readonly #deps: TaskRunnerDeps
	readonly #lease: Lease
	readonly #log: Log

	constructor(deps: TaskRunnerDeps, lease: Lease) {
		this.#deps = deps
		this.#lease = lease
		this.#log = taskLog(deps.log, lease.task)
	}

	/** Works on the task and reports the outcome. Never rejects. */
	async run(stop: AbortSignal): Promise<Ending> {
		const { task } = this.#lease
		const deadline = new AbortController()
		const timer = setTimeout(
			() => deadline.abort(new TemporaryError('the video took too long to be processed')),
			Math.min(task.deadlineSec * 1_000, 2 ** 31 - 1),
		)
		const renewalEnd = new AbortController()
		const signal = AbortSignal.any([this.#lease.signal, stop, deadline.signal])
		const renewal = this.#lease.renewUntil(renewalEnd.signal)
		this.#deps.board.begin(task, () => this.#lease.progress)
		this.#log.info('task claimed', { epoch: task.epoch })
		let ending: Ending = 'fit'
		try {
			await this.#workAndComplete(signal, stop)
		} catch (error) {
			const reason = signal.aborted ? signal.reason : error
			await this.#report(reason)
			if (isDiskFull(reason)) ending = 'disk-full'
		} finally {
			clearTimeout(timer)
			renewalEnd.abort()
			await renewal
		}
		return ending
	}

	/** Returns a task that was never started. Never rejects. */
	decline(error: StoppingError | TemporaryError): Promise<void> {
		return this.#report(error)
	}

	async #workAndComplete(signal: AbortSignal, stop: AbortSignal): Promise<void> {
		const { clock, board } = this.#deps
		const startedAt = clock()
		const result = await withAbortGrace(signal, this.#work(signal), this.#log)
		this.#lease.check()
		signal.throwIfAborted()
		this.#lease.advance(1)
		await this.#complete(result, stop)
		this.#log.info('task done', {
			seconds: roundToHundredth((clock() - startedAt) / 1_000),
			...toEffortFields(result),
		})
		board.end(this.#lease.task, 'done')
	}

	async #work(signal: AbortSignal): Promise<TaskResult> {
		const { tasks, cache, workDirs } = this.#deps
		const { task } = this.#lease
		await using dir = await workDirs.make(`${task.id}-${task.epoch}`)
		await using source = task.source ? await cache.use(task.source, signal) : null
		const context = this.#contextOf(dir.path, source?.path ?? null, signal)
		this.#lease.check()
		const result = await perform(tasks, task.spec, context)
		await context.outputs.flush()
		return result
	}

	#contextOf(workDir: string, sourcePath: string | null, signal: AbortSignal): TaskContext {
		const { session, network, clock, programs, confine, proved, threads, speech } = this.#deps
		const lease = this.#lease
		const { spec, deadlineSec } = lease.task
		const addresses = outputAddresses(lease, session.client, listExpectedNames(spec), clock, signal)
		return {
			programs: {
				...programs,
				confine: (command, access) => confine(requireKnownArguments(command, access), access, deadlineSec),
			},
			proved,
			threads,
			speech,
			deadlineSec,
			sourcePath,
			workDir,
			outputs: createOutputs({ addresses, network, check: () => lease.check(), signal }),
			fetchObject: (url) => getObject(url, OBJECT_BYTES, network, signal),
			progress: (share) => lease.advance(share),
			signal,
			log: this.#log,
		}
	}

	async #complete(result: TaskResult, stop: AbortSignal): Promise<void> {
		const { client } = this.#deps.session
		const { id: taskId, epoch } = this.#lease.task
		const limit = new AbortController()
		let timer: NodeJS.Timeout | undefined
		// The finished work justifies a few more seconds, but must not block the shutdown.
		const onStop = () => {
			timer = setTimeout(() => limit.abort(stop.reason), RELEASE_MS)
		}
		this.#lease.beginOutcomeReport()
		stop.addEventListener('abort', onStop, { once: true })
		try {
			const input = { params: { taskId }, body: { epoch, result } }
			await this.#lease.callEdge((options) => client.call(completeTask, input, options), limit.signal)
		} finally {
			clearTimeout(timer)
			stop.removeEventListener('abort', onStop)
		}
	}

	/** Reports to the edge why the task ends without a result, unless the lease is lost. */
	async #report(error: unknown): Promise<void> {
		try {
			if (error instanceof LeaseLostError) this.#leave('task lost', error)
			else if (error instanceof StoppingError) await this.#release(error)
			else await this.#fail(error)
		} catch (problem) {
			// The lease expires, and the edge requeues the task.
			this.#leave("can't report the outcome of a task to the edge", problem)
		}
	}

	async #release(error: StoppingError): Promise<void> {
		const { client } = this.#deps.session
		const { id: taskId, epoch } = this.#lease.task
		await this.#lease.callEdge(
			(options) => client.call(releaseTask, { params: { taskId }, body: { epoch } }, options),
			AbortSignal.timeout(RELEASE_MS),
		)
		this.#log.info('task returned', { reason: error.message })
		this.#deps.board.end(this.#lease.task, 'left')
	}

	async #fail(error: unknown): Promise<void> {
		const { session, board } = this.#deps
		const { id: taskId, epoch } = this.#lease.task
		const failure = classifyFailure(error)
		const { reason, message, detail } = failure
		this.#log.error('task failed', { reason, failure: message, detail })
		board.end(this.#lease.task, 'failed', detail || message)
		this.#lease.beginOutcomeReport()
		const input = { params: { taskId }, body: { epoch, ...failure } }
		await this.#lease.callEdge((options) => session.client.call(failTask, input, options))
	}

	#leave(message: string, error: unknown): void {
		this.#log.warn(message, { reason: describeReason(error) })
		this.#deps.board.end(this.#lease.task, 'left')
	}
}

async function perform<K extends TaskKind>(
	tasks: TaskTable,
	spec: TaskSpecByKind<K>,
	context: TaskContext,
): Promise<TaskResultByKind<K>> {
	const run = tasks[spec.kind as K] as RunTask<K> | undefined
	if (!run) throw new Error(`this daemon does not support ${spec.kind} tasks`)
	return await run(spec, context)
}
