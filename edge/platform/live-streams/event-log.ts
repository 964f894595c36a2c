import type { StreamEvent, StreamMessage } from './stream-event.ts'

/** Enough for a client that loses its connection for some seconds in a busy community. */
const KEPT = 256

/**
 * The latest events of an object, in memory. An event id names the log and a position, so a client that comes back after the
 * log was lost is recognized, and reads everything again.
 */
export class EventLog {
	readonly #name: string
	#count = 0
	#kept: StreamMessage[] = []

	constructor(name: string) {
		this.#name = name
	}

	add({ topics, type, data }: StreamEvent): StreamMessage {
		this.#count++
		const message = { id: this.#idAt(this.#count), topics, type, data }
		this.#kept.push(message)
		if (this.#kept.length > KEPT) this.#kept.shift()
		return message
	}

	/**
	 * Returns the first messages of a stream: `ready`, with the position for a new client; the events that a returning client
	 * missed; or `reset`, if they are unknown.
	 */
	listSince(lastEventId: string | null, topics: readonly string[]): StreamMessage[] {
		const own = (type: string) => ({ id: this.#idAt(this.#count), topics: [], type, data: {} })
		if (lastEventId === null) return [own('ready')]
		const [name, position] = lastEventId.split('-')
		const seen = Number(position)
		const oldest = this.#count - this.#kept.length
		if (name !== this.#name || !(seen >= oldest && seen <= this.#count)) return [own('reset')]
		const missed = this.#kept.slice(seen - oldest)
		return [
			// With the position of the client, which may be cut off before the missed events.
			{ ...own('ready'), id: lastEventId },
			...missed.filter((message) => message.topics.some((topic) => topics.includes(topic))),
		]
	}

	#idAt(position: number): string {
		return `${this.#name}-${position}`
	}
}
