import { HOUR, SECOND } from '../../platform/clock.ts'

/** Reconnecting authenticates again. */
export const LIFE_MS = HOUR
/** Proxies close idle connections. */
export const HEARTBEAT_MS = 15 * SECOND
const RETRY_MS = 5 * SECOND

export type Client = {
	write(block: string): void
	/** Waits until the client has read what was written. */
	whenRead(): Promise<void>
	end(): void
	isGone(): boolean
}
export type Timers = {
	/** Calls back once. Returns a function that cancels the timer. */
	after(ms: number, call: () => void): () => void
	/** Calls back at each interval. Returns a function that stops the timer. */
	every(ms: number, call: () => void): () => void
}

const globalTimers: Timers = {
	after(ms, call) {
		const timer = setTimeout(call, ms)
		return () => clearTimeout(timer)
	},
	every(ms, call) {
		const timer = setInterval(call, ms)
		return () => clearInterval(timer)
	},
}

/**
 * Opens the body of a response with server-sent events. The stream ends after an hour, when the credential expires, when
 * the client disconnects, or when `end` is called. `onEnd` is called once.
 */
export function openClientStream(
	{ endsInMs, onEnd }: { endsInMs: number; onEnd: () => void },
	timers: Timers = globalTimers,
): { body: ReadableStream<Uint8Array>; client: Client } {
	const encoder = new TextEncoder()
	let controller: ReadableStreamDefaultController<Uint8Array>
	let isClosed = false
	let continueWriting = () => {}
	const client: Client = {
		isGone: () => isClosed,
		write(block) {
			if (!isClosed) controller.enqueue(encoder.encode(`${block}\n\n`))
		},
		whenRead: () =>
			isClosed || (controller.desiredSize ?? 0) > 0
				? Promise.resolve()
				: new Promise((resolve) => {
						continueWriting = resolve
					}),
		end() {
			if (isClosed) return
			isClosed = true
			stopHeartbeat()
			stopLife()
			continueWriting()
			onEnd()
			try {
				controller.close()
			} catch {
				// The client has cancelled the stream.
			}
		},
	}
	const body = new ReadableStream<Uint8Array>({
		start(started) {
			controller = started
		},
		pull: () => continueWriting(),
		cancel: () => client.end(),
	})
	const stopHeartbeat = timers.every(HEARTBEAT_MS, () => client.write(':'))
	const stopLife = timers.after(Math.min(LIFE_MS, endsInMs), client.end)
	client.write(`retry: ${RETRY_MS}`)
	return { body, client }
}
