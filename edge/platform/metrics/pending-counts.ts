import { MINUTE } from '../clock.ts'
import type { Samples } from './metric.ts'

/** What an isolate has counted. The receiver adds each number of a source once. */
export type CountBatch = { source: string; number: number; counts: Samples }

/** Later, the request that was about to send is assumed to have ended without sending. */
const SENDER_LIFE_MS = MINUTE
const MAX_SERIES = 5_000

/** What this isolate has counted and not sent. Requests add to it, and one of them sends the counts of several seconds. */
export class PendingCounts {
	readonly #source: string
	#counts = new Map<string, number>()
	/** Sent again under the same number until it arrives, since a lost response does not show whether it did. */
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

	/** Returns whether the caller must send, as no other request is about to. */
	becomeSender(now: number): boolean {
		const since = this.#senderSince
		if (since !== null && now >= since && now - since < SENDER_LIFE_MS) return false
		this.#senderSince = now
		return true
	}

	/** The batch that was sent and of which nobody knows whether it arrived. */
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

	/** Ends the turn of the sender, so that the next count finds another. */
	endTurn(): void {
		this.#senderSince = null
	}
}
