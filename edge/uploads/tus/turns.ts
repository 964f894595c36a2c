/** Enough for what is small and already here; and nobody waits much longer for a sender that has vanished. */
const GRACE_MS = 1_000

/**
 * One thing at a time, in the order they came; what takes long is asked to end soon after something else waits. Without
 * it a request whose sender has vanished would keep the next one out until the network tells.
 */
export class Turns {
	#last: Promise<unknown> = Promise.resolve()
	#waiting = 0
	#current: AbortController | undefined
	#hurry: ReturnType<typeof setTimeout> | undefined

	take<T>(act: (signal: AbortSignal) => Promise<T>): Promise<T> {
		this.#waiting++
		this.#hurryUp()
		const turn = this.#last.then(() => this.#run(act))
		this.#last = turn.catch(() => undefined)
		return turn
	}

	async #run<T>(act: (signal: AbortSignal) => Promise<T>): Promise<T> {
		this.#waiting--
		const current = new AbortController()
		this.#current = current
		if (this.#waiting > 0) this.#hurryUp()
		try {
			return await act(current.signal)
		} finally {
			this.#current = undefined
			clearTimeout(this.#hurry)
			this.#hurry = undefined
		}
	}

	#hurryUp(): void {
		const current = this.#current
		if (current) this.#hurry ??= setTimeout(() => current.abort(), GRACE_MS)
	}
}
