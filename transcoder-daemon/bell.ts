import type { Sleep } from './time.ts'

/** Lets one part of the program wake another. Ringing while nobody waits shortens the next wait. */
export class Bell {
	#rung = new AbortController()

	ring(): void {
		this.#rung.abort()
	}

	/** Whether it was rung. */
	async wait(ms: number, sleep: Sleep, signal: AbortSignal): Promise<boolean> {
		await sleep(ms, AbortSignal.any([this.#rung.signal, signal]))
		if (!this.#rung.signal.aborted) return false
		this.#rung = new AbortController()
		return true
	}
}
