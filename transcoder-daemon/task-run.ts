import { completeTask, failTask, releaseTask } from '#schema/contract/leases.ts'
import type { TaskKind, TaskResultOf, TaskSpecOf } from '#schema/contract/tasks.ts'
import type { ActivityBoard } from './activity.ts'
import { failureOf, isNoRoom, TemporaryError } from './failure.ts'
import { requireKnownArguments } from './ffmpeg/known-arguments.ts'
import { type Lease, LeaseLostError, type LeaseWorld } from './lease.ts'
import { type Log, reasonOf } from './log.ts'
import { outputAddresses } from './output-addresses.ts'
import { expectedNames } from './output-names.ts'
import { createOutputs } from './outputs.ts'
import type { SourceCache } from './source-cache.ts'
import { getObject, type Network } from './storage.ts'
import type { TaskTable } from './tasks/index.ts'
import type { Access, Programs, RunTask, TaskContext } from './tasks/task.ts'
import type { WorkDirs } from './work-dirs.ts'

/** Everything that is started ends when its signal comes; whoever does not is left behind, and said so. */
const WIND_DOWN_MS = 10_000
const RELEASE_MS = 4_000
/** The largest object that a task takes into memory whole. */
const OBJECT_BYTES = 512 * 1024 ** 2

export type Workshop = LeaseWorld & {
	tasks: TaskTable
	network: Network
	cache: SourceCache
	workDirs: WorkDirs
	programs: Pick<Programs, 'ffmpeg' | 'ffprobe'>
	confine(command: readonly string[], access: Access, deadlineSec: number): readonly string[]
	proved: TaskContext['proved']
	threads: number
	board: ActivityBoard
}

/** The machine stops; the task is as good as new for another one. */
export class StoppingError extends Error {
	override name = 'StoppingError'
}

/** Whether the machine was up to it: `no-room` when its disk is full, whatever the task is. */
export type Ending = 'fit' | 'no-room'

/** A task from its claim to its end, whatever that is. Never rejects. */
export async function runTask(shop: Workshop, lease: Lease, stop: AbortSignal): Promise<Ending> {
	const { task } = lease
	const log = withTask(shop.log, task.id, task.spec.kind)
	const begunAt = shop.clock()
	const deadline = new AbortController()
	const timer = setTimeout(
		() => deadline.abort(new TemporaryError('The video took too long to be processed.')),
		Math.min(task.deadlineSec * 1_000, 2 ** 31 - 1),
	)
	const over = new AbortController()
	const signal = AbortSignal.any([lease.signal, stop, deadline.signal])
	const held = lease.hold(over.signal)
	shop.board.begin(task, () => lease.progress)
	log.info('task claimed', { epoch: task.epoch })
	try {
		const result = await endsSoonAfter(signal, work(shop, lease, signal, log), log)
		lease.check()
		signal.throwIfAborted()
		lease.advance(1)
		lease.beginHandingOver()
		await handOver(shop, lease, result, stop)
		const seconds = (shop.clock() - begunAt) / 1_000
		log.info('task done', { seconds: round(seconds), ...effortOf(result) })
		shop.board.end(task, 'done')
		return 'fit'
	} catch (error) {
		const reason = signal.aborted ? signal.reason : error
		await giveUp(shop, lease, reason, log)
		return isNoRoom(reason) ? 'no-room' : 'fit'
	} finally {
		clearTimeout(timer)
		over.abort()
		await held
	}
}

async function work(shop: Workshop, lease: Lease, signal: AbortSignal, log: Log) {
	const { task } = lease
	await using dir = await shop.workDirs.make(`${task.id}-${task.epoch}`)
	await using source = task.source ? await shop.cache.use(task.source, signal) : null
	const client = shop.desk.client
	const addresses = outputAddresses(lease, client, expectedNames(task.spec), shop.clock, signal)
	const check = () => lease.check()
	const outputs = createOutputs({ addresses, network: shop.network, check, signal })
	const context: TaskContext = {
		programs: {
			...shop.programs,
			confine: (command, access) =>
				shop.confine(requireKnownArguments(command, access), access, task.deadlineSec),
		},
		proved: shop.proved,
		threads: shop.threads,
		sourcePath: source?.path ?? null,
		workDir: dir.path,
		outputs,
		fetchObject: (url) => getObject(url, OBJECT_BYTES, shop.network, signal),
		progress: (share) => lease.advance(share),
		signal,
		log,
	}
	lease.check()
	const result = await perform(shop.tasks, task.spec, context)
	await outputs.settled()
	return result
}

async function perform<K extends TaskKind>(
	tasks: TaskTable,
	spec: TaskSpecOf<K>,
	context: TaskContext,
): Promise<TaskResultOf<K>> {
	const run = tasks[spec.kind as K] as RunTask<K> | undefined
	if (!run) throw new Error(`this daemon does not know ${spec.kind}`)
	return await run(spec, context)
}

async function handOver(
	{ desk }: Workshop,
	lease: Lease,
	result: Awaited<ReturnType<typeof work>>,
	stop: AbortSignal,
): Promise<void> {
	const { id: taskId, epoch } = lease.task
	const input = { params: { taskId }, body: { epoch, result } }
	const tooLate = new AbortController()
	let timer: NodeJS.Timeout | undefined
	// The work is done: that is worth a few more seconds, but not a machine that can not be stopped.
	const onStop = () => {
		timer = setTimeout(() => tooLate.abort(stop.reason), RELEASE_MS)
	}
	stop.addEventListener('abort', onStop, { once: true })
	try {
		await lease.ask((options) => desk.client.call(completeTask, input, options), tooLate.signal)
	} finally {
		clearTimeout(timer)
		stop.removeEventListener('abort', onStop)
	}
}

/** What does not come to an end by itself, though it was told, must not hold a slot for ever. */
async function endsSoonAfter<T>(signal: AbortSignal, work: Promise<T>, log: Log): Promise<T> {
	const { promise, reject } = Promise.withResolvers<never>()
	let timer: NodeJS.Timeout | undefined
	const onAbort = () => {
		timer = setTimeout(() => {
			log.error('a task did not end although it was told to')
			reject(signal.reason)
		}, WIND_DOWN_MS)
	}
	signal.addEventListener('abort', onAbort, { once: true })
	try {
		return await Promise.race([work, promise])
	} finally {
		clearTimeout(timer)
		signal.removeEventListener('abort', onAbort)
	}
}

async function giveUp(shop: Workshop, lease: Lease, error: unknown, log: Log): Promise<void> {
	const { desk, board } = shop
	const { task } = lease
	const params = { taskId: task.id }
	if (error instanceof LeaseLostError) {
		log.warn('task lost', { reason: error.message })
		return board.end(task, 'left')
	}
	try {
		if (error instanceof StoppingError) {
			await lease.ask(
				(options) => desk.client.call(releaseTask, { params, body: { epoch: task.epoch } }, options),
				AbortSignal.timeout(RELEASE_MS),
			)
			log.info('task given back')
			return board.end(task, 'left')
		}
		const failure = failureOf(error)
		log.error('task failed', { reason: failure.reason, failure: failure.message, detail: failure.detail })
		board.end(task, 'failed', failure.detail || failure.message)
		lease.beginHandingOver()
		await lease.ask((options) =>
			desk.client.call(failTask, { params, body: { epoch: task.epoch, ...failure } }, options),
		)
	} catch (problem) {
		// Its lease runs out, and the edge draws its own conclusions.
		log.warn('the edge could not be told how a task ended', { reason: reasonOf(problem) })
		board.end(task, 'left')
	}
}

function effortOf(result: Awaited<ReturnType<typeof work>>) {
	const { workSec, mediaSec, hwAccelUsed, notes } = result
	const speed = workSec > 0 && mediaSec > 0 ? round(mediaSec / workSec) : null
	return {
		workSec: round(workSec),
		mediaSec: round(mediaSec),
		speed,
		hwAccelUsed,
		notes: notes.join('; ') || null,
	}
}

const round = (value: number) => Math.round(value * 100) / 100

const withTask = (log: Log, task: string, kind: string): Log => ({
	info: (message, fields) => log.info(message, { task, kind, ...fields }),
	warn: (message, fields) => log.warn(message, { task, kind, ...fields }),
	error: (message, fields) => log.error(message, { task, kind, ...fields }),
})
