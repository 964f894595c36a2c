/** Longer than a busy machine takes to reconnect after a fault and to claim. */
const MAX_WAIT_MS = 60_000

/**
 * Makes all machines take part: none may claim before `open`, and none may claim a second task before each has leased
 * its first one.
 */
export class FirstClaims {
	readonly #opened = Promise.withResolvers<void>()
	readonly #leased = Promise.withResolvers<void>()
	readonly #withoutTask: Set<string>
	#timer: NodeJS.Timeout | undefined

	constructor(machines: readonly string[]) {
		this.#withoutTask = new Set(machines)
	}

	open(): void {
		this.#opened.resolve()
		this.#timer = setTimeout(this.#leased.resolve, MAX_WAIT_MS)
	}

	onLease(machine: string): void {
		this.#withoutTask.delete(machine)
		if (this.#withoutTask.size === 0) this.end()
	}

	async untilClaimable(machine: string): Promise<void> {
		await this.#opened.promise
		if (!this.#withoutTask.has(machine)) await this.#leased.promise
	}

	/** From now on, no claim waits. */
	end(): void {
		clearTimeout(this.#timer)
		this.#opened.resolve()
		this.#leased.resolve()
	}
}
