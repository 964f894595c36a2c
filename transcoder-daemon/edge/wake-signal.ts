import type { Sleep } from '../time.ts'

/** Lets one part of the program wake another. A wake without a waiter ends the next wait immediately. */
export class WakeSignal {
	#controller = new AbortController()

	wake(): void {
		this.#controller.abort()
	}

	/** Waits until `wake` is called, `ms` have passed or the signal ends it; returns whether it was woken. */
	async wait(ms: number, sleep: Sleep, signal: AbortSignal): Promise<boolean> {
		await sleep(ms, AbortSignal.any([this.#controller.signal, signal]))
		if (!this.#controller.signal.aborted) return false
		this.#controller = new AbortController()
		return true
	}
}
