import { MINUTE } from '../clock.ts'
import type { Samples } from './metric.ts'

/** The counts of an isolate. The receiver adds each numbered batch once. */
export type CountBatch = { source: string; number: number; counts: Samples }

/** After this time, the sending request is assumed dead. */
const SENDER_LIFE_MS = MINUTE
const MAX_SERIES = 5_000

/** Unsent counts of this isolate. Requests add to them, and one of them sends several seconds' worth. */
export class PendingCounts {
	readonly #source: string
	#counts = new Map<string, number>()
	/** Resent under the same number until acknowledged, since a lost response does not show whether it arrived. */
	#batch: CountBatch | null = null
	#number = 0
	#senderSince: number | null = null

	constructor(source: string) {
		this.#source = source
	}

	add(series: string, amount: number): void {
		const before = this.#counts.get(series)
		// Bounds the memory of an isolate that can't send.
		if (before === undefined && this.#counts.size >= MAX_SERIES) return
		this.#counts.set(series, (before ?? 0) + amount)
	}

	/** Returns whether the caller must send, because no other request will. */
	becomeSender(now: number): boolean {
		const since = this.#senderSince
		if (since !== null && now >= since && now - since < SENDER_LIFE_MS) return false
		this.#senderSince = now
		return true
	}

	/** The batch that was sent but not acknowledged. */
	get undelivered(): CountBatch | null {
		return this.#batch
	}

	/** Returns the next batch to send; null if there is none. */
	next(): CountBatch | null {
		if (this.#batch) return this.#batch
		if (this.#counts.size === 0) return null
		this.#batch = { source: this.#source, number: ++this.#number, counts: Object.fromEntries(this.#counts) }
		this.#counts = new Map()
		return this.#batch
	}

	arrived({ number }: CountBatch): void {
		if (this.#batch?.number === number) this.#batch = null
	}

	/** Ends the sender's turn, so that the next count chooses another. */
	endTurn(): void {
		this.#senderSince = null
	}
}
