/**
 * One thing at a time, in the order they came; what takes long is asked to end when something else waits. Without it
 * a request whose sender has vanished would keep the next one out until the network tells.
 */
export class Turns {
	#last: Promise<unknown> = Promise.resolve()
	#waiting = 0
	#current: AbortController | undefined

	take<T>(act: (signal: AbortSignal) => Promise<T>): Promise<T> {
		this.#waiting++
		this.#current?.abort()
		const turn = this.#last.then(() => {
			this.#waiting--
			this.#current = new AbortController()
			if (this.#waiting > 0) this.#current.abort()
			return act(this.#current.signal)
		})
		this.#last = turn.catch(() => undefined)
		return turn
	}
}
