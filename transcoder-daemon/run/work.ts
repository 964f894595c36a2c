import { claimTask } from '#schema/contract/video/leases.ts'
import type { TaskKind } from '#schema/contract/video/tasks.ts'
import { computeBackoffMs } from '../backoff.ts'
import { Lease } from '../edge/lease.ts'
import { describeError } from '../edge/registration.ts'
import { WakeSignal } from '../edge/wake-signal.ts'
import { MemoryTakenError, requireMemory, TooLittleMemoryError } from './admission.ts'
import { listClaimableKinds, NEARLY_DONE } from './slots.ts'
import { estimateMemory } from './task-memory.ts'
import { StoppingError, TaskRun, type TaskRunnerDeps } from './task-run.ts'

const CLAIM_MS = 15_000
/** While other machines find work, or there is no socket. */
const POLL = { firstMs: 2_000, capMs: 5_000 }
/** While there is no work and the socket is connected. */
const POLL_CONNECTED = { firstMs: 2_000, capMs: 15_000 }
const MIN_POLL_MS = 1_000
const RETRY = { firstMs: 1_000, capMs: 30_000 }
/** While the disk is full. */
const DISK_FULL = { firstMs: 10_000, capMs: 300_000 }

/** While only tasks too large for this machine are offered: other machines should claim first. */
const TOO_SMALL = { firstMs: 10_000, capMs: 300_000 }

export type WorkOptions = {
	/** Memory of the machine: for the daemon, its tasks and the system. */
	memoryBytes: number
	/** Video chunks that are encoded at once. */
	slots: number
	/** How long running tasks may continue after the drain began. */
	graceMs: number
	isConnected(): boolean
}

export type Work = {
	/** Claims tasks now instead of waiting. */
	wake(): void
	/** Works until drained; resolves once every task has ended. */
	run(drain: AbortSignal): Promise<void>
}

/** Fills the slots of the machine, one claim at a time. */
export function createWork(
	deps: TaskRunnerDeps,
	{ memoryBytes, slots, graceMs, isConnected }: WorkOptions,
): Work {
	const wakeSignal = new WakeSignal()
	const running = new Map<Lease, { ended: Promise<void>; bytes: number }>()
	const supportedKinds = (Object.keys(deps.tasks) as TaskKind[]).filter(
		(kind) => kind !== 'transcribe' || deps.speech !== null,
	)
	let diskFullCount = 0
	let pausedUntil = Number.NEGATIVE_INFINITY
	/**
	 * Memory that a declined task needs. No other task is claimed until it is free; otherwise that task would never
	 * start.
	 */
	let awaitedBytes = 0
	let tooSmallCount = 0
	const kindPausedUntil = new Map<TaskKind, number>()

	const runningBytes = () => [...running.values()].reduce((sum, { bytes }) => sum + bytes, 0)

	/** Starts a task, or returns it when there is too little memory. */
	function startOrDecline(lease: Lease, stop: AbortSignal): void {
		const { spec } = lease.task
		const bytes = estimateMemory(spec, deps)
		const verdict = requireMemory(bytes, runningBytes(), memoryBytes)
		if (verdict === 'now') {
			if (kindPausedUntil.delete(spec.kind)) tooSmallCount = 0
			start(lease, bytes, stop)
		} else if (verdict === 'later') {
			awaitedBytes = bytes
			track(lease, 0, new TaskRun(deps, lease).decline(new MemoryTakenError(bytes)))
		} else {
			const pauseMs = computeBackoffMs(tooSmallCount++, TOO_SMALL, deps.random)
			kindPausedUntil.set(spec.kind, deps.clock() + pauseMs)
			track(lease, 0, new TaskRun(deps, lease).decline(new TooLittleMemoryError(bytes, memoryBytes)))
		}
	}

	function track(lease: Lease, bytes: number, work: Promise<void>): void {
		const ended = work.then(() => {
			running.delete(lease)
			wakeSignal.wake()
		})
		running.set(lease, { ended, bytes })
	}

	function start(lease: Lease, bytes: number, stop: AbortSignal): void {
		lease.onAdvance = () => {
			if (lease.progress < NEARLY_DONE) return
			lease.onAdvance = () => {}
			wakeSignal.wake()
		}
		const run = new TaskRun(deps, lease).run(stop).then((ending) => {
			if (ending === 'fit') diskFullCount = 0
			else pauseForFullDisk()
		})
		track(lease, bytes, run)
	}

	/**
	 * A machine with a full disk fails tasks immediately. Without a pause, it would claim and fail every task before
	 * busy machines could claim it.
	 */
	function pauseForFullDisk(): void {
		const pauseMs = computeBackoffMs(diskFullCount++, DISK_FULL, deps.random)
		pausedUntil = deps.clock() + pauseMs
		deps.log.warn('the disk is full; claiming no tasks for now', { seconds: Math.round(pauseMs / 1_000) })
	}

	async function claim(kinds: TaskKind[], signal: AbortSignal): Promise<Lease | null> {
		const { session, cache, clock } = deps
		const claimedAt = clock()
		const body = { kinds, sources: cache.ids() }
		const { data } = await session.client.call(
			claimTask,
			{ body },
			{ token: session.token(), signal: AbortSignal.any([signal, AbortSignal.timeout(CLAIM_MS)]) },
		)
		return data.task && new Lease(data.task, claimedAt, deps)
	}

	async function fillSlots(drain: AbortSignal, stop: AbortSignal): Promise<void> {
		let emptyClaims = 0
		let failures = 0
		while (!drain.aborted) {
			const tasks = [...running.keys()].map(({ task, progress }) => ({ kind: task.spec.kind, progress }))
			const now = deps.clock()
			const kinds = listClaimableKinds(supportedKinds, tasks, slots).filter(
				(kind) => (kindPausedUntil.get(kind) ?? now) <= now,
			)
			if (requireMemory(awaitedBytes, runningBytes(), memoryBytes) === 'now') awaitedBytes = 0
			if (kinds.length === 0 || awaitedBytes > 0) {
				await wakeSignal.wait(RETRY.capMs, deps.sleep, drain)
				continue
			}
			const diskFullMs = pausedUntil - deps.clock()
			if (diskFullMs > 0) {
				await wakeSignal.wait(Math.ceil(diskFullMs), deps.sleep, drain)
				continue
			}
			let pauseMs: number
			try {
				// Not cancelled by the drain: a task claimed meanwhile must be returned.
				const lease = await claim(kinds, stop)
				if (failures > 0) deps.log.info('tasks can be claimed again', { failures })
				failures = 0
				if (lease) {
					emptyClaims = 0
					startOrDecline(lease, stop)
					continue
				}
				const poll = isConnected() ? POLL_CONNECTED : POLL
				pauseMs = Math.max(MIN_POLL_MS, computeBackoffMs(emptyClaims++, poll, deps.random))
			} catch (error) {
				if (drain.aborted) return
				const details = describeError(error)
				if ('status' in details && details.status === 401) deps.session.onUnauthorized()
				if (failures++ === 0) deps.log.warn("can't claim tasks", details)
				pauseMs = computeBackoffMs(failures, RETRY, deps.random)
			}
			const wasWoken = await wakeSignal.wait(pauseMs, deps.sleep, drain)
			if (wasWoken) emptyClaims = 0
		}
	}

	return {
		wake: () => wakeSignal.wake(),
		async run(drain) {
			const stop = new AbortController()
			const filling = fillSlots(drain, stop.signal)
			await untilAborted(drain)
			if (running.size > 0) deps.log.info('waiting for running tasks', { running: running.size, graceMs })
			const grace = setTimeout(() => stop.abort(new StoppingError('the machine is stopping')), graceMs)
			await filling
			while (running.size > 0) await Promise.all([...running.values()].map(({ ended }) => ended))
			clearTimeout(grace)
		},
	}
}

function untilAborted(signal: AbortSignal): Promise<void> {
	if (signal.aborted) return Promise.resolve()
	return new Promise((done) => signal.addEventListener('abort', () => done(), { once: true }))
}
