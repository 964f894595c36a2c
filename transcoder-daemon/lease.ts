import { ApiError, type CallOptions, type Client } from '#schema/contract/client.ts'
import { heartbeatTask, type LeasedTask } from '#schema/contract/leases.ts'
import { backoffMs } from './backoff.ts'
import { type Log, reasonOf } from './log.ts'
import type { Sleep } from './time.ts'

const CALL_MS = 15_000
const RETRY = { firstMs: 500, capMs: 10_000 }
/** While heartbeats are answered and one call is not, it is that call which does not work. */
const CALL_TRIES = 15
/** The edge asks to wait; what it asks for is kept within what a lease allows. */
const LONGEST_WAIT_MS = 20_000

/** The task is not ours any more. Nothing may be stored or said for it from now on. */
export class LeaseLostError extends Error {
	override name = 'LeaseLostError'
}

/** The machine's way to the edge. */
export type Desk = {
	client: Client<AbortSignal>
	/** Asked anew at each call: registering again or a heartbeat changes it. */
	token(): string
	/** The edge did not know the token: the machine has to register again. */
	onStranger(): void
}

export type LeaseWorld = {
	desk: Desk
	/** Monotonic: a clock that is set must not end a lease, nor make it look alive. */
	clock(): number
	sleep: Sleep
	random(): number
	log: Log
}

/**
 * The right to work on a task. Counted from the moment before the edge was asked, it ends here no later than there.
 * Whoever does something that others see asks `check` first: in a process that was stopped for a while, and goes on,
 * timers have not run yet.
 */
export class Lease {
	readonly task: LeasedTask
	/** Told at each step forward. */
	onAdvance: () => void = () => {}
	readonly #world: LeaseWorld
	readonly #leaseMs: number
	readonly #lost = new AbortController()
	#renewedAt: number
	#progress = 0
	#handingOver = false

	constructor(task: LeasedTask, claimedAt: number, world: LeaseWorld) {
		this.task = task
		this.#renewedAt = claimedAt
		this.#world = world
		this.#leaseMs = task.leaseSeconds * 1_000
	}

	/** Aborted when the lease is lost, with a LeaseLostError as its reason. */
	get signal(): AbortSignal {
		return this.#lost.signal
	}

	get progress(): number {
		return this.#progress
	}

	advance(share: number): void {
		if (share <= this.#progress) return
		this.#progress = Math.min(1, share)
		this.onAdvance()
	}

	/** Throws when the lease is over, by the clock or by what the edge said. */
	check(): void {
		if (this.#leftMs() <= 0) this.#lose('it could not be renewed in time')
		this.signal.throwIfAborted()
	}

	/** From now on the answer to the handing over decides: a heartbeat after a completion finds no lease. */
	beginHandingOver(): void {
		this.#handingOver = true
	}

	/** Renews until the signal ends it or the lease is lost; never rejects. */
	async hold(until: AbortSignal): Promise<void> {
		const { sleep, random, log } = this.#world
		const stop = AbortSignal.any([until, this.signal])
		const watch = this.#watch(stop)
		let failures = 0
		while (!stop.aborted) {
			const ms =
				failures > 0 ? backoffMs(failures, RETRY, random) : (this.#leaseMs / 3) * (0.9 + 0.1 * random())
			await sleep(ms, stop)
			if (stop.aborted || this.#leftMs() <= 0) break
			const sentAt = this.#world.clock()
			try {
				await this.#beat(
					AbortSignal.any([stop, AbortSignal.timeout(Math.ceil(Math.min(CALL_MS, this.#leftMs())))]),
				)
				this.#renewedAt = sentAt
				failures = 0
			} catch (error) {
				if (stop.aborted) break
				if (isLost(error)) {
					if (this.#handingOver) break
					this.#lose(reasonOf(error))
				} else if (failures++ === 0)
					log.warn('a lease could not be renewed', { task: this.task.id, reason: reasonOf(error) })
				if (isStranger(error)) this.#world.desk.onStranger()
			}
		}
		await watch
	}

	/** Asks the edge on behalf of the task, again and again as long as that can help and the lease holds. */
	async ask<T>(call: (options: CallOptions<AbortSignal>) => Promise<T>, signal = this.signal): Promise<T> {
		const { desk, sleep, random } = this.#world
		const stop = AbortSignal.any([signal, this.signal])
		for (let tries = 1; ; tries++) {
			this.check()
			stop.throwIfAborted()
			try {
				const limit = AbortSignal.any([stop, AbortSignal.timeout(CALL_MS)])
				return await call({ token: desk.token(), signal: limit })
			} catch (error) {
				stop.throwIfAborted()
				if (isLost(error)) {
					this.#lose(reasonOf(error))
					this.signal.throwIfAborted()
				}
				if (isStranger(error)) desk.onStranger()
				if (!isPassing(error) || tries >= CALL_TRIES) throw error
				await sleep(Math.max(askedMs(error), backoffMs(tries, RETRY, random)), stop)
			}
		}
	}

	async #beat(signal: AbortSignal): Promise<void> {
		const { desk } = this.#world
		const body = { epoch: this.task.epoch, progress: this.#progress }
		await desk.client.call(
			heartbeatTask,
			{ params: { taskId: this.task.id }, body },
			{ token: desk.token(), signal },
		)
	}

	/** The end by the clock, also while a call hangs. */
	async #watch(stop: AbortSignal): Promise<void> {
		while (!stop.aborted) {
			await this.#world.sleep(Math.max(1, this.#leftMs()), stop)
			if (!stop.aborted && this.#leftMs() <= 0) this.#lose('it could not be renewed in time')
		}
	}

	#leftMs(): number {
		return this.#renewedAt + this.#leaseMs - this.#world.clock()
	}

	#lose(why: string): void {
		this.#lost.abort(new LeaseLostError(`the lease is lost: ${why}`))
	}
}

/** Somebody else has the task, it is over, or nobody knows it. */
const isLost = (error: unknown) => error instanceof ApiError && [404, 409, 410].includes(error.status)

const isStranger = (error: unknown) => error instanceof ApiError && error.status === 401

/** A refusal that is about what was said stays one, however often it is said. */
function isPassing(error: unknown): boolean {
	if (!(error instanceof ApiError)) return true
	return error.status >= 500 || [401, 408, 425, 429].includes(error.status)
}

const askedMs = (error: unknown) =>
	error instanceof ApiError ? Math.min(LONGEST_WAIT_MS, (error.retryAfterSeconds ?? 0) * 1_000) : 0
