import { SECOND } from '../clock.ts'
import type { StreamEvent } from './stream-event.ts'

export const COALESCED_MS = SECOND

/** Sends the first event of a key at once, and then at most one event a second, the newest. */
export class CoalescedEvents {
	readonly #send: (event: StreamEvent) => void
	readonly #after: (ms: number, call: () => void) => void
	/** The events held back, by their key; null if none came since the last one was sent. */
	#held = new Map<string, StreamEvent | null>()

	constructor(send: (event: StreamEvent) => void, after: (ms: number, call: () => void) => void) {
		this.#send = send
		this.#after = after
	}

	add(key: string, event: StreamEvent): void {
		if (this.#held.has(key)) {
			this.#held.set(key, event)
			return
		}
		this.#send(event)
		this.#held.set(key, null)
		this.#after(COALESCED_MS, () => {
			const newest = this.#held.get(key)
			this.#held.delete(key)
			if (newest) this.add(key, newest)
		})
	}
}
