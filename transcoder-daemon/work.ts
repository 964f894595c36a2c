import { claimTask } from '#schema/contract/leases.ts'
import type { TaskKind } from '#schema/contract/tasks.ts'
import { backoffMs } from './backoff.ts'
import { Bell } from './bell.ts'
import { Lease } from './lease.ts'
import { detailsOf } from './registration.ts'
import { kindsWanted, NEARLY_DONE } from './slots.ts'
import { runTask, StoppingError, type Workshop } from './task-run.ts'

const CLAIM_MS = 15_000
/** While others find work, or no socket calls us. */
const POLL = { firstMs: 2_000, capMs: 5_000 }
/** While nothing happens and the edge can call. */
const POLL_CONNECTED = { firstMs: 2_000, capMs: 15_000 }
const LEAST_POLL_MS = 1_000
const RETRY = { firstMs: 1_000, capMs: 30_000 }
/** While the disk is full. */
const NO_ROOM = { firstMs: 10_000, capMs: 300_000 }

export type WorkOptions = {
	/** Chunks of video that are encoded at once. */
	slots: number
	/** So long running tasks may go on after the drain began. */
	graceMs: number
	isConnected(): boolean
}

export type Work = {
	/** There may be something to do. */
	ring(): void
	/** Works until told to drain, and answers when nothing runs any more. */
	run(drain: AbortSignal): Promise<void>
}

/** Fills the slots of the machine, one claim at a time. */
export function createWork(shop: Workshop, { slots, graceMs, isConnected }: WorkOptions): Work {
	const bell = new Bell()
	const running = new Map<Lease, Promise<void>>()
	const known = Object.keys(shop.tasks) as TaskKind[]
	let timesFull = 0
	let restsUntil = Number.NEGATIVE_INFINITY

	function take(lease: Lease, stop: AbortSignal): void {
		lease.onAdvance = () => {
			if (lease.progress < NEARLY_DONE) return
			lease.onAdvance = () => {}
			bell.ring()
		}
		const run = runTask(shop, lease, stop).then((ending) => {
			if (ending === 'fit') timesFull = 0
			else rest()
			running.delete(lease)
			bell.ring()
		})
		running.set(lease, run)
	}

	/** Whoever has no room fails at once, and would soon have failed at everything that others have no time for yet. */
	function rest(): void {
		const restMs = backoffMs(timesFull++, NO_ROOM, shop.random)
		restsUntil = shop.clock() + restMs
		shop.log.warn('no work is taken while the disk is full', { seconds: Math.round(restMs / 1_000) })
	}

	async function claim(kinds: TaskKind[], signal: AbortSignal): Promise<Lease | null> {
		const { desk, cache, clock } = shop
		const claimedAt = clock()
		const body = { kinds, sources: cache.ids() }
		const { data } = await desk.client.call(
			claimTask,
			{ body },
			{ token: desk.token(), signal: AbortSignal.any([signal, AbortSignal.timeout(CLAIM_MS)]) },
		)
		return data.task && new Lease(data.task, claimedAt, shop)
	}

	async function fillSlots(drain: AbortSignal, stop: AbortSignal): Promise<void> {
		let empty = 0
		let failures = 0
		while (!drain.aborted) {
			const tasks = [...running.keys()].map(({ task, progress }) => ({ kind: task.spec.kind, progress }))
			const kinds = kindsWanted(known, tasks, slots)
			if (kinds.length === 0) {
				await bell.wait(RETRY.capMs, shop.sleep, drain)
				continue
			}
			const restMs = restsUntil - shop.clock()
			if (restMs > 0) {
				await bell.wait(Math.ceil(restMs), shop.sleep, drain)
				continue
			}
			let pauseMs: number
			try {
				// Not given up when draining begins: a task that is ours by then must be given back.
				const lease = await claim(kinds, stop)
				if (failures > 0) shop.log.info('the edge gives work again', { failures })
				failures = 0
				if (lease) {
					empty = 0
					take(lease, stop)
					continue
				}
				const poll = isConnected() ? POLL_CONNECTED : POLL
				pauseMs = Math.max(LEAST_POLL_MS, backoffMs(empty++, poll, shop.random))
			} catch (error) {
				if (drain.aborted) return
				const details = detailsOf(error)
				if ('status' in details && details.status === 401) shop.desk.onStranger()
				if (failures++ === 0) shop.log.warn('no work can be asked for', details)
				pauseMs = backoffMs(failures, RETRY, shop.random)
			}
			const rung = await bell.wait(pauseMs, shop.sleep, drain)
			if (rung) empty = 0
		}
	}

	return {
		ring: () => bell.ring(),
		async run(drain) {
			const stop = new AbortController()
			const filling = fillSlots(drain, stop.signal)
			await untilAborted(drain)
			if (running.size > 0) shop.log.info('waiting for running tasks', { running: running.size, graceMs })
			const grace = setTimeout(() => stop.abort(new StoppingError('the machine stops')), graceMs)
			await filling
			while (running.size > 0) await Promise.all(running.values())
			clearTimeout(grace)
		},
	}
}

function untilAborted(signal: AbortSignal): Promise<void> {
	if (signal.aborted) return Promise.resolve()
	return new Promise((done) => signal.addEventListener('abort', () => done(), { once: true }))
}
