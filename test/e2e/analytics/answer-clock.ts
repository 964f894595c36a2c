/** A longer silence is that of a Worker that is stopped, or that the machine does not run. */
const MAX_SILENCE_MS = 1_000

/**
 * The time that the Worker has had, as its answers show. A busy machine delays the alarms of the Worker and its answers
 * alike. So an age by this clock says how often the Worker could have written, on any machine.
 */
export class AnswerClock {
	#elapsedMs = 0
	#answeredAt = Number.NEGATIVE_INFINITY

	get now(): number {
		return this.#elapsedMs
	}

	/** Notes that the Worker has answered just now. */
	noteAnswer(): void {
		const at = performance.now()
		this.#elapsedMs += Math.min(at - this.#answeredAt, MAX_SILENCE_MS)
		this.#answeredAt = at
	}

	/** Asks the Worker until this time has passed. */
	async pass(ms: number, ask: () => Promise<unknown>): Promise<void> {
		for (const until = this.#elapsedMs + ms; this.#elapsedMs <= until; ) {
			await ask()
			this.noteAnswer()
			await new Promise((next) => setTimeout(next, MAX_SILENCE_MS / 4))
		}
	}
}
