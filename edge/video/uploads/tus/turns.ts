/** Enough for small bodies that have already arrived. A new request waits little longer for a vanished sender. */
const GRACE_MS = 1_000

/**
 * Runs actions one at a time, in order of arrival. When another action waits, the current one is aborted after a grace
 * period. Otherwise a request whose sender has vanished would block the next one until the connection times out.
 */
export class Turns {
	#last: Promise<unknown> = Promise.resolve()
	#waiting = 0
	#current: AbortController | undefined
	#abortTimer: ReturnType<typeof setTimeout> | undefined

	run<T>(act: (signal: AbortSignal) => Promise<T>): Promise<T> {
		this.#waiting++
		this.#abortSoon()
		const turn = this.#last.then(() => this.#runNow(act))
		this.#last = turn.catch(() => undefined)
		return turn
	}

	async #runNow<T>(act: (signal: AbortSignal) => Promise<T>): Promise<T> {
		this.#waiting--
		const current = new AbortController()
		this.#current = current
		if (this.#waiting > 0) this.#abortSoon()
		try {
			return await act(current.signal)
		} finally {
			this.#current = undefined
			clearTimeout(this.#abortTimer)
			this.#abortTimer = undefined
		}
	}

	#abortSoon(): void {
		const current = this.#current
		if (current) this.#abortTimer ??= setTimeout(() => current.abort(), GRACE_MS)
	}
}
