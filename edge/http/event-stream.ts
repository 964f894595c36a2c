import { SECOND } from '../platform/clock.ts'

/** Proxies close idle connections. */
const COMMENT_EVERY_MS = 15 * SECOND

/** Returns a server-sent events response that proxies neither cache nor buffer. */
export const eventStreamResponse = (body: ReadableStream<Uint8Array> | null): Response =>
	new Response(body, {
		headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
	})

/** A state of a stream, sent if its id has changed. */
export type StreamedState = { id: string; data: unknown; isLast?: boolean }

export type StreamedStates = {
	/** The name of the events. */
	event: string
	/** Returns the state at some milliseconds after the request; null ends the stream. */
	read: (laterMs: number) => Promise<StreamedState | null>
	pollEveryMs: number
	/** The stream ends after this time, and clients reconnect. */
	lifeMs: number
	/** Clients reconnect after this time. */
	retryMs: number
	/** The id of the state that the client has already. */
	lastEventId: string | null
	/** Checks that the session or key of the stream is still valid. */
	isStillAdmitted: (laterMs: number) => Promise<boolean>
	/** The minimum interval between these checks, which precede messages. */
	admitEveryMs: number
	onError: (error: unknown) => void
	/** Called once, also when the client leaves. */
	onEnd?: () => Promise<void>
}

/** Streams a state as server-sent events: immediately, and after each change. */
export function streamStates(states: StreamedStates): Response {
	const encoder = new TextEncoder()
	let isClosed = false
	const end = async () => {
		if (isClosed) return
		isClosed = true
		await states.onEnd?.()
	}
	const body = new ReadableStream<Uint8Array>({
		async start(controller) {
			const client: Client = {
				isGone: () => isClosed,
				write(message) {
					if (!isClosed) controller.enqueue(encoder.encode(`${message}\n\n`))
				},
			}
			try {
				await sendStates(states, client)
				if (!isClosed) controller.close()
			} catch (error) {
				states.onError(error)
				if (!isClosed) controller.error(error)
			} finally {
				await end()
			}
		},
		cancel: end,
	})
	return eventStreamResponse(body)
}

type Client = { isGone: () => boolean; write: (message: string) => void }

async function sendStates(states: StreamedStates, client: Client): Promise<void> {
	const { event, read, pollEveryMs, lifeMs, retryMs, lastEventId, isStillAdmitted, admitEveryMs } = states
	client.write(`retry: ${retryMs}`)
	let sentId = lastEventId
	let sentAt = 0
	let admittedAt = 0
	for (let now = 0; now < lifeMs && !client.isGone(); now += pollEveryMs) {
		const state = await read(now)
		if (!state) return
		const isChanged = state.id !== sentId
		if (isChanged || now - sentAt >= COMMENT_EVERY_MS) {
			if (now > 0 && now - admittedAt >= admitEveryMs) {
				if (!(await isStillAdmitted(now))) return
				admittedAt = now
			}
			client.write(
				isChanged ? `id: ${state.id}\nevent: ${event}\ndata: ${JSON.stringify(state.data)}` : ': still here',
			)
			sentId = state.id
			sentAt = now
		}
		if (state.isLast) return
		await new Promise((resolve) => setTimeout(resolve, pollEveryMs))
	}
}
