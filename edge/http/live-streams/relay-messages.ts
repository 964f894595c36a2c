import { SECOND } from '../../platform/clock.ts'
import { REPLACED, type StreamMessage } from '../../platform/live-streams/stream-event.ts'
import type { Client } from './client-stream.ts'

/** An event as a client receives it. Those without a name reach `onmessage` of `EventSource`. */
export type SentEvent = { id?: string; event?: string; data: Record<string, unknown> }

export type Relay = {
	/** Returns what the client receives for a message. Messages are handled one after the other. */
	onMessage(message: StreamMessage, laterMs: number): Promise<SentEvent[]>
	/** Checks that the credential and its rights are still valid. */
	isStillAdmitted(laterMs: number): Promise<boolean>
}

/** How long a client may hear events after its rights have ended, if nothing closed its stream. */
export const ADMITTED_MS = 30 * SECOND
/** Messages that wait for a client that does not read; with more, the stream is closed. A returning client gets up to 257. */
export const MAX_WAITING_MESSAGES = 512

type Context = { laterMs: () => number; onError: (error: unknown) => void }

/** Writes the messages of a socket to a client, until one of them ends. */
export function relayMessages(socket: EventTarget, relay: Relay, client: Client, context: Context): void {
	let work = Promise.resolve()
	let waiting = 0
	let admittedAt = 0
	async function handle(text: string): Promise<void> {
		const laterMs = context.laterMs()
		if (laterMs - admittedAt >= ADMITTED_MS) {
			if (!(await relay.isStillAdmitted(laterMs))) return client.end()
			admittedAt = laterMs
		}
		for (const sent of await relay.onMessage(JSON.parse(text), laterMs)) {
			await client.whenRead()
			client.write(formatEvent(sent))
		}
	}
	socket.addEventListener('message', (event) => {
		const { data } = event as MessageEvent
		if (++waiting > MAX_WAITING_MESSAGES) return client.end()
		work = work
			.then(() => (client.isGone() ? undefined : handle(String(data))))
			.catch((error: unknown) => {
				context.onError(error)
				client.end()
			})
			.finally(() => {
				waiting--
			})
	})
	socket.addEventListener('close', (event) => {
		const { code } = event as CloseEvent
		work = work.then(() => {
			// The page must not connect again: it would replace another one in turn.
			if (code === REPLACED) client.write(formatEvent({ data: { type: 'closed', reason: 'replaced' } }))
			client.end()
		})
	})
}

const formatEvent = ({ id, event, data }: SentEvent): string =>
	[
		...(id === undefined ? [] : [`id: ${id}`]),
		...(event === undefined ? [] : [`event: ${event}`]),
		`data: ${JSON.stringify(data)}`,
	].join('\n')
