import { ApiError, type CallOptions, type Client } from '#schema/contract/kit/client.ts'
import { heartbeatTask, type LeasedTask } from '#schema/contract/video/leases.ts'
import { computeBackoffMs } from '../backoff.ts'
import { describeReason, type Log } from '../log.ts'
import { withRetries } from '../retrying.ts'
import type { Sleep } from '../time.ts'

const CALL_MS = 15_000
const RETRY = { firstMs: 500, capMs: 10_000 }
/** With heartbeats succeeding, a call that still fails is itself at fault. */
const MAX_TRIES = 15
/** Upper limit of a delay that the edge requests; a lease allows no more. */
const MAX_RETRY_AFTER_MS = 20_000

/** The machine has lost its lease: it may store and report nothing more for the task. */
export class LeaseLostError extends Error {
	override name = 'LeaseLostError'
}

/** How tasks call the edge. */
export type EdgeSession = {
	client: Client<AbortSignal>
	/** Read at each call, since a registration or heartbeat replaces it. */
	token(): string
	/** The edge rejected the token, so the machine must register again. */
	onUnauthorized(): void
}

export type LeaseDeps = {
	session: EdgeSession
	/** Monotonic: setting the system clock must neither end a lease nor prolong it. */
	clock(): number
	sleep: Sleep
	random(): number
	log: Log
}

/**
 * The right to work on a task. It is counted from before the claim was sent, so it ends here no later than at the edge.
 * Call `check` before each externally visible action: after a suspended process resumes, its timers have not run yet.
 */
export class Lease {
	readonly task: LeasedTask
	/** Called whenever progress increases. */
	onAdvance: () => void = () => {}
	readonly #deps: LeaseDeps
	readonly #leaseMs: number
	readonly #lost = new AbortController()
	#renewedAt: number
	#progress = 0
	#isReportingOutcome = false

	constructor(task: LeasedTask, claimedAt: number, deps: LeaseDeps) {
		this.task = task
		this.#renewedAt = claimedAt
		this.#deps = deps
		this.#leaseMs = task.leaseSeconds * 1_000
	}

	/** Aborted when the lease is lost, with a LeaseLostError as the reason. */
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

	/** Throws when the lease has expired or the edge has withdrawn it. */
	check(): void {
		if (this.#leftMs() <= 0) this.#lose('it was not renewed in time')
		this.signal.throwIfAborted()
	}

	/** Lets only the response to the outcome end the lease from now on: a heartbeat after a completion gets an error. */
	beginOutcomeReport(): void {
		this.#isReportingOutcome = true
	}

	/** Renews the lease until the signal ends it or the lease is lost; never rejects. */
	async renewUntil(end: AbortSignal): Promise<void> {
		const { sleep, random, log } = this.#deps
		const stop = AbortSignal.any([end, this.signal])
		const expiry = this.#watchExpiry(stop)
		let failures = 0
		while (!stop.aborted) {
			const ms =
				failures > 0
					? computeBackoffMs(failures, RETRY, random)
					: (this.#leaseMs / 3) * (0.9 + 0.1 * random())
			await sleep(ms, stop)
			if (stop.aborted || this.#leftMs() <= 0) break
			const sentAt = this.#deps.clock()
			try {
				await this.#renew(
					AbortSignal.any([stop, AbortSignal.timeout(Math.ceil(Math.min(CALL_MS, this.#leftMs())))]),
				)
				this.#renewedAt = sentAt
				failures = 0
			} catch (error) {
				if (stop.aborted) break
				if (isLost(error)) {
					if (this.#isReportingOutcome) break
					this.#lose(describeReason(error))
				} else if (failures++ === 0)
					log.warn("can't renew a lease", { task: this.task.id, reason: describeReason(error) })
				if (isUnauthorized(error)) this.#deps.session.onUnauthorized()
			}
		}
		await expiry
	}

	/** Calls the edge for the task, retrying while a retry can help and the lease lasts. */
	async callEdge<T>(
		call: (options: CallOptions<AbortSignal>) => Promise<T>,
		signal = this.signal,
	): Promise<T> {
		const { session, sleep, random } = this.#deps
		const stop = AbortSignal.any([signal, this.signal])
		const tryOnce = async () => {
			try {
				const limit = AbortSignal.any([stop, AbortSignal.timeout(CALL_MS)])
				return await call(this.#optionsOf(limit))
			} catch (error) {
				if (!stop.aborted && isLost(error)) this.#lose(describeReason(error))
				else if (!stop.aborted && isUnauthorized(error)) session.onUnauthorized()
				throw error
			}
		}
		return await withRetries(tryOnce, {
			maxTries: MAX_TRIES,
			backoff: RETRY,
			isRetryable: isTransient,
			delayMs: (error, defaultMs) => Math.max(retryAfterMs(error), defaultMs),
			beforeTry: () => this.check(),
			sleep,
			random,
			signal: stop,
		})
	}

	async #renew(signal: AbortSignal): Promise<void> {
		const { session } = this.#deps
		const body = { epoch: this.task.epoch, progress: this.#progress }
		await session.client.call(
			heartbeatTask,
			{ params: { taskId: this.task.id }, body },
			this.#optionsOf(signal),
		)
	}

	#optionsOf(signal: AbortSignal): CallOptions<AbortSignal> {
		const { traceparent } = this.task
		return { token: this.#deps.session.token(), signal, ...(traceparent && { traceparent }) }
	}

	/** Ends the lease when it expires, even while a call hangs. */
	async #watchExpiry(stop: AbortSignal): Promise<void> {
		while (!stop.aborted) {
			await this.#deps.sleep(Math.max(1, this.#leftMs()), stop)
			if (!stop.aborted && this.#leftMs() <= 0) this.#lose('it was not renewed in time')
		}
	}

	#leftMs(): number {
		return this.#renewedAt + this.#leaseMs - this.#deps.clock()
	}

	#lose(reason: string): void {
		this.#lost.abort(new LeaseLostError(`lease lost: ${reason}`))
	}
}

/** The task belongs to another machine, has ended, or does not exist. */
const isLost = (error: unknown) => error instanceof ApiError && [404, 409, 410].includes(error.status)

const isUnauthorized = (error: unknown) => error instanceof ApiError && error.status === 401

/** Whether a retry can help. Most 4xx answers would be the same again. */
function isTransient(error: unknown): boolean {
	if (!(error instanceof ApiError)) return true
	return error.status >= 500 || [401, 408, 425, 429].includes(error.status)
}

const retryAfterMs = (error: unknown) =>
	error instanceof ApiError ? Math.min(MAX_RETRY_AFTER_MS, (error.retryAfterSeconds ?? 0) * 1_000) : 0
